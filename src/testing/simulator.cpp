#include "testing/simulator.hpp"

#include "base/as_tuple.hpp"
#include "guest_client/changes.hpp"
#include "guest_client/files.hpp"
#include "guest_client/run.hpp"
#include "sessions/processes.hpp"
#include "sessions/sessions.hpp"
#include "testing/model.hpp"
#include "testing/scripted_clock.hpp"
#include "testing/scripted_runtime.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>

namespace atl::testing {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using core::Whose;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kTraceLines = 60;
constexpr std::size_t kNames = 2;  // variables and files of each client in each session
// Saving, restoring and a hung guest take a minute or so each, and several may wait in line.
constexpr auto kRequestMax = 20min;
constexpr auto kGrace = 10s;
constexpr const char* kOwner = "ann";
constexpr const char* kFaults[] = {"the disk is full", "state cannot be opened",
                                   "state cannot be read", "records cannot be written",
                                   "no sandbox can be made"};
constexpr const char* kCode[] = {"sleep 300", "sleep 30000", "die", "exit", "hang"};

std::size_t open_descriptors() {
    std::size_t count = 0;
    for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
        static_cast<void>(one);
        ++count;
    }
    return count;
}

std::string said(const Error& error) {
    return "error " + std::to_string(static_cast<int>(error.code)) + ", " + error.message;
}

// One life of a server.
struct World {
    World(asio::io_context& loop, core::Clock& clock, Disk& disk, Dice dice,
          sessions::SessionOptions options)
        : life(disk.life()),
          store(disk, Latency(loop.get_executor(), clock, dice.fork())),
          folders(disk, Latency(loop.get_executor(), clock, dice.fork())),
          runtime(loop.get_executor(), clock, disk, dice.fork()),
          sessions(loop.get_executor(), runtime, store, folders, std::move(options), clock),
          processes(loop.get_executor(), clock) {}

    const std::uint64_t life;
    MemoryStore store;
    MemoryFolders folders;
    ScriptedRuntime runtime;
    sessions::Sessions sessions;
    sessions::Processes processes;
    bool open = false;  // for requests
    bool house_kept = false;
    std::size_t under_way = 0;
};

struct Answer {
    std::uint64_t number = 0;  // of the request
    bool heard = false;        // by a client that still listens, of a server that still runs
    std::optional<Error> error;
    [[nodiscard]] bool well() const { return heard && !error; }
};

struct RunAnswer {
    guest_client::RunEnd end;
    std::string output;
};

class Simulator {
public:
    explicit Simulator(SimulatorOptions options)
        : options_(options),
          dice_(options.seed * 0x9e3779b97f4a7c15ull + 1),
          calm_(options.seed % 4 == 0),
          // Many who want the same session at the same time, or few who hardly meet.
          crowd_(dice_.chance(30)),
          clients_(crowd_ ? dice_.between(4, 8) : dice_.between(2, 6)),
          sessions_max_(crowd_ || dice_.chance(40) ? dice_.between(1, 2) : 6),
          leaving_(calm_                        ? 0
                   : crowd_ || dice_.chance(30) ? 30
                                                : 5),
          life_ends_(loop_.get_executor(), clock_) {
        disk_.on_kill = [this] {
            ++result_.kills;
            note("the server is killed");
            life_ends_.cancel();
        };
    }

    Simulated run() {
        const asio::steady_timer first(loop_);  // the loop opens its own descriptors for this
        const auto descriptors = open_descriptors();
        const auto began = clock_.now();
        asio::co_spawn(loop_, everything(), [this](std::exception_ptr failed) {
            over_ = true;
            if (failed) broken("the simulator itself: " + what(failed));
        });
        const bool ended = run_until(
            loop_, clock_, [this] { return over_ || !result_.held; }, 240h);
        if (!ended) broken("it never ends");
        result_.seconds = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - began).count());
        if (result_.held && open_descriptors() != descriptors) {
            broken("descriptors leak: " + std::to_string(descriptors) + " before, " +
                   std::to_string(open_descriptors()) + " after");
        }
        result_.last.assign(trace_.begin(), trace_.end());
        return result_;
    }

private:
    // ---- What happens, written down ----

    void note(const std::string& text) {
        char time[32];
        const auto now = std::chrono::duration<double>(clock_.now().time_since_epoch()).count();
        std::snprintf(time, sizeof time, "%12.6f ", now - 86400);
        const auto line = time + text;
        for (const char c : line) {  // FNV-1a
            result_.trace = (result_.trace ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
        }
        if (options_.print) {
            std::printf("%s\n", line.c_str());
            std::fflush(stdout);
        }
        trace_.push_back(line);
        if (trace_.size() > kTraceLines) trace_.pop_front();
    }

    void broken(const std::string& rule) {
        note("BROKEN: " + rule);
        if (!result_.held) return;
        result_.held = false;
        result_.broken = rule;
    }

    static std::string what(const std::exception_ptr& failed) {
        try {
            std::rethrow_exception(failed);
        } catch (const std::exception& error) { return error.what(); }
    }

    asio::awaitable<void> rest(std::chrono::steady_clock::duration time) {
        core::Timer timer(loop_.get_executor(), clock_);
        timer.expires_after(time);
        co_await timer.wait();
    }

    // ---- The lives of the server ----

    sessions::SessionOptions session_options() {
        sessions::SessionOptions options;
        options.idle_to_warm = 20s;
        options.idle_to_cold = 60s;
        options.memory_free = [this] { return memory_free_; };
        options.new_id = [this] { return "s-" + std::to_string(1000 + ++ids_); };
        return options;
    }

    void make_world() {
        disk_.faults = {};
        disk_.spare();
        memory_free_ = 1;
        world_ = std::make_unique<World>(loop_, clock_, disk_, dice_.fork(), session_options());
    }

    asio::awaitable<void> begin_life(bool may_fail) {
        make_world();
        if (may_fail && dice_.chance(20))
            disk_.kill_after(static_cast<unsigned>(dice_.between(1, 6)));
        bool killed = false;
        try {
            co_await world_->sessions.recover();
        } catch (const ErrorException&) {
            killed = world_->life != disk_.life();
            if (!killed) throw;
        }
        if (killed) {
            note("… while it recovers");
            make_world();
            co_await world_->sessions.recover();
        }
        const auto kept = [this](std::exception_ptr failed) {
            world_->house_kept = true;
            if (failed) broken("housekeeping: " + what(failed));
        };
        asio::co_spawn(loop_, world_->sessions.keep_house(), kept);
        world_->open = true;
        note("a server runs: life " + std::to_string(world_->life));
    }

    // Also of a server that was killed: it is a ghost then (memory_disk.hpp).
    asio::awaitable<void> end_life() {
        world_->open = false;
        const bool killed = world_->life != disk_.life();
        for (auto left = kGrace; !killed && world_->under_way > 0 && left > 0s; left -= 1s) {
            co_await rest(1s);
        }
        disk_.faults.full = disk_.faults.full && !killed;
        if (killed) {
            world_->runtime.end_all();
            world_->runtime.freezer_fails = world_->runtime.fails = false;
        } else {
            ++result_.stops;
        }
        note(killed ? "what the dead server left is cleared away" : "the server stops");
        const auto began = clock_.now();
        co_await world_->sessions.stop();
        if (clock_.now() - began > 5min) broken("to stop took more than five minutes");
        while (world_->under_way > 0 || !world_->house_kept) co_await rest(100ms);
        co_await rest(5s);  // what was begun beside it
        if (world_->runtime.live() > 0) {
            broken("sandboxes leak: " + std::to_string(world_->runtime.live()));
        }
        if (world_->life == disk_.life()) disk_.retire();
        world_.reset();
        note("the server has ended");
    }

    asio::awaitable<void> everything() {
        const auto lives = dice_.between(1, 3);
        note("seed " + std::to_string(options_.seed) + (calm_ ? ", calm, " : ", ") +
             std::to_string(clients_) + " clients, " + std::to_string(lives) + " lives");
        std::size_t left = clients_ + 1;
        const auto ended = [&](std::exception_ptr failed) {
            --left;
            if (failed) broken("a client of the simulator: " + what(failed));
        };
        for (std::size_t i = 0; i < clients_; ++i) {
            asio::co_spawn(loop_, client(i, dice_.fork()), ended);
        }
        asio::co_spawn(loop_, trouble(dice_.fork()), ended);
        // Detached: it ends with `over_`, or with the loop, which this owns.
        asio::co_spawn(loop_, watch(), asio::detached);
        for (std::uint64_t life = 0; life < lives; ++life) {
            co_await begin_life(!calm_);
            life_ends_.expires_after(std::chrono::seconds(dice_.between(20, 900)));
            if (world_->life == disk_.life()) co_await life_ends_.wait();
            const bool kill = !calm_ && dice_.chance(50);
            if (kill && world_->life == disk_.life()) disk_.kill();
            co_await end_life();
        }
        closing_ = true;
        while (left > 0) co_await rest(1s);
        co_await begin_life(false);
        co_await look_at_everything();
        co_await end_life();
        for (const auto& [id, tree] : disk_.trees) {
            if (disk_.records.count(id) == 0) broken("the folder of " + id + " has no record");
        }
        for (const auto& [id, record] : disk_.records) {
            if (disk_.trees.count(id) != 0) continue;
            // On a full disk files go first, to make room for writing that the session goes: a
            // server that is killed in between leaves a session that can still be removed.
            const auto known = model_.find(id);
            const bool unsure =
                known != model_.end() && known->second.life == ModelSession::Life::Unsure;
            if (!unsure) broken("the record of " + id + " has no folder");
        }
    }

    // ---- What goes wrong ----

    void give_order(ScriptedGuest& guest, std::uint64_t kind) {
        using Order = bool ScriptedGuest::Orders::*;
        using Orders = ScriptedGuest::Orders;
        struct Known {
            const char* name;
            Order order;
        };
        static constexpr Known kKnown[] = {{"dies", nullptr},
                                           {"is silent", &Orders::silent},
                                           {"hangs on export", &Orders::export_hangs},
                                           {"dies on export", &Orders::export_dies},
                                           {"hangs on import", &Orders::import_hangs},
                                           {"dies on import", &Orders::import_dies},
                                           {"lies", &Orders::breaks_protocol},
                                           {"refuses", &Orders::refuses}};
        note("the guest of " + guest.folder() + " " + kKnown[kind].name);
        if (kKnown[kind].order == nullptr) return guest.die();
        guest.orders.*kKnown[kind].order = true;
    }

    asio::awaitable<void> trouble(Dice dice) {
        while (!closing_) {
            co_await rest(milliseconds(dice.between(200, 30'000)));
            if (!world_ || !world_->open) continue;
            const auto lasts = milliseconds(dice.between(50, 20'000));
            if (calm_ || dice.chance(10)) {
                note("memory is short");
                memory_free_ = 0.01;
                co_await rest(lasts);
                memory_free_ = 1;
                continue;
            }
            const auto guests = world_->runtime.guests();
            const auto guest = guests.empty() ? nullptr : guests[dice.below(guests.size())];
            const auto kind = dice.below(15);
            if ((kind < 8 || kind == 14) && !guest) continue;
            if (kind == 14) {
                note("the kernels of " + guest->folder() + " die");
                guest->end_kernels();
            } else if (kind < 8) {
                give_order(*guest, kind);
                if (kind >= 2) {
                    co_await rest(lasts);
                    guest->orders = {};
                }
            } else if (kind == 8) {
                const auto writes = static_cast<unsigned>(dice.between(1, 12));
                note("the server will be killed before write " + std::to_string(writes));
                disk_.kill_after(writes);
            } else {
                const auto which = kind - 9;
                const auto set = [&](bool on) {
                    if (which == 0) disk_.faults.full = on;
                    if (which == 1) disk_.faults.unreadable = on;
                    if (which == 2) disk_.faults.half_readable = on;
                    if (which == 3) disk_.faults.store_fails = on;
                    if (which == 4 && world_) world_->runtime.fails = on;
                };
                note(kFaults[which]);
                set(true);
                co_await rest(lasts);
                set(false);
                note("… no longer");
            }
        }
    }

    // ---- Requests ----

    struct Pending {
        explicit Pending(asio::io_context& loop, core::Clock& clock)
            : ended(loop, asio::steady_timer::time_point::max()),
              patience(loop.get_executor(), clock),
              began(clock.now()) {}
        asio::cancellation_signal cancel;
        asio::steady_timer ended;
        core::Timer patience;
        const core::Moment began;
        std::string what;
        bool over = false;
        bool cancelled = false;
        std::exception_ptr failed;
    };

    asio::awaitable<void> watch() {
        while (!over_) {
            co_await rest(30s);
            for (const auto& one : pending_) {
                if (clock_.now() - one->began > kRequestMax) broken("stuck: " + one->what);
            }
        }
    }

    asio::awaitable<Answer> request(World& world, std::string name, asio::awaitable<void> work,
                                    std::optional<milliseconds> patience) {
        const auto one = std::make_shared<Pending>(loop_, clock_);
        one->what = std::move(name);
        const auto number = ++result_.requests;
        note("#" + std::to_string(number) + " " + one->what);
        const auto place = pending_.insert(pending_.end(), one);
        const auto done = [one](std::exception_ptr failed) {
            one->failed = failed;
            one->over = true;
            one->ended.cancel();
        };
        asio::co_spawn(loop_, std::move(work),
                       asio::bind_cancellation_slot(one->cancel.slot(), done));
        if (patience) {
            one->patience.expires_after(*patience);
            one->patience.then([pending = one.get()] {
                if (pending->over) return;
                pending->cancelled = true;
                pending->cancel.emit(asio::cancellation_type::terminal);
            });
        }
        while (!one->over) co_await one->ended.async_wait(kAsTuple);
        one->patience.cancel();
        pending_.erase(place);
        Answer answer;
        answer.number = number;
        answer.heard = world.life == disk_.life() && !one->cancelled;
        std::string text = "well";
        if (one->failed) {
            try {
                std::rethrow_exception(one->failed);
            } catch (const ErrorException& error) {
                answer.error = error.error;
                text = said(error.error);
            } catch (const std::exception& error) {
                answer.error = Error{Code::Internal, error.what()};
                text = error.what();
                if (!one->cancelled) broken("#" + std::to_string(number) + " threw " + text);
            }
        } else if (answer.heard) {
            ++result_.answered;
        }
        note("#" + std::to_string(number) + (answer.heard ? ": " : ", nobody hears: ") + text);
        co_return answer;
    }

    // As api/run_routes does it.
    asio::awaitable<void> run_in(World& world, std::string id, std::string code,
                                 milliseconds timeout, RunAnswer& answer) {
        const auto use = co_await world.sessions.use(Whose::of(kOwner), SessionId(id));
        co_await world.sessions.check_disk(*use);
        const auto lost = use->lost();
        auto& session = model_.at(id);
        const auto cells = session.begin_telling(lost);
        for (const auto& one : lost) {
            note("  lost in " + id + ": " + one.context + " " + one.name + " " + one.reason);
        }
        std::exception_ptr failed;
        try {
            guest_client::ChangeView view(use.changes());
            guest_client::Run run(use.link(), use.sandbox());
            guest_client::RunRequest wanted;
            wanted.code = std::move(code);
            wanted.timeout = timeout;
            guest_client::RunListener listener;
            listener.output = [&answer](core::Stream stream, std::string_view piece) {
                if (stream == core::Stream::Stdout) answer.output += piece;
            };
            answer.end = co_await run.run(std::move(wanted), std::move(listener));
            co_await view.finish();
        } catch (...) { failed = std::current_exception(); }
        if (!lost.empty() && !failed) world.sessions.lost_was_told(*use, lost);
        const bool heard = !failed && world.life == disk_.life();
        sessions_heard(session, cells, lost, heard);
        if (failed) std::rethrow_exception(failed);
    }

    void sessions_heard(ModelSession& session, const std::vector<Cell*>& cells,
                        const std::vector<guest_client::Lost>& lost, bool heard) {
        ModelSession::end_telling(cells, heard);
        if (lost.empty() || !heard) return;
        result_.losses += lost.size();
        const bool asked_for = std::all_of(lost.begin(), lost.end(), [](const auto& one) {
            return one.reason == "it cannot be pickled";
        });
        if (calm_ && !asked_for) broken("nothing is wrong, and " + session.id + " lost something");
    }

    // ---- Clients ----

    [[nodiscard]] std::vector<std::string> sessions_there() const {
        std::vector<std::string> all;
        for (const auto& [id, session] : model_) {
            if (session.life == ModelSession::Life::Alive) all.push_back(id);
        }
        return all;
    }

    // Until a client asks again. A crowd comes together: ten seconds later, when the session is
    // awake, or when it has fallen asleep.
    milliseconds pause(Dice& dice) {
        if (crowd_) {
            const milliseconds beat = dice.chance(70) ? 10s : 70s;
            const auto now =
                std::chrono::duration_cast<milliseconds>(clock_.now().time_since_epoch());
            return beat - now % beat + milliseconds(dice.between(0, 40));
        }
        if (dice.chance(75)) return milliseconds(dice.between(1, 800));
        if (dice.chance(90)) return milliseconds(dice.between(5'000, 100'000));
        return milliseconds(dice.between(100'000, 1'000'000));
    }

    asio::awaitable<void> client(std::size_t number, Dice dice) {
        while (!closing_) {
            co_await rest(pause(dice));
            if (closing_) break;
            if (!world_ || !world_->open) continue;
            World& world = *world_;
            ++world.under_way;
            co_await step(world, number, dice);
            --world.under_way;
        }
    }

    asio::awaitable<void> step(World& world, std::size_t number, Dice& dice) {
        const auto there = sessions_there();
        std::optional<milliseconds> patience;
        if (dice.chance(leaving_)) patience = milliseconds(dice.between(0, crowd_ ? 60 : 200));
        if (there.empty() || (there.size() < sessions_max_ && dice.chance(8))) {
            co_await create(world, patience);
            co_return;
        }
        const std::string id = there[dice.below(there.size())];
        const std::string name =
            "c" + std::to_string(number) + "n" + std::to_string(dice.below(kNames));
        const auto kind = dice.below(100);
        if (kind < 24) {
            co_await set(world, id, name, dice.chance(5), patience);
        } else if (kind < 44) {
            co_await get(world, id, name, patience);
        } else if (kind < 54) {
            co_await write(world, id, "/session/" + name, dice.chance(50), patience);
        } else if (kind < 62) {
            co_await read(world, id, "/session/" + name, patience);
        } else if (kind < 68) {
            co_await evict(world, id, dice.chance(40), patience);
        } else if (kind < 73) {
            co_await fork(world, id, dice.between(1, 2), patience);
        } else if (kind < 76) {
            co_await remove(world, id, patience);
        } else if (kind < 78) {
            co_await restart(world, id, patience);
        } else if (kind < 86) {
            co_await misbehave(world, id, dice, patience);
        } else if (kind < 92) {
            co_await process(world, id, dice, patience);
        } else {
            co_await look(world, patience);
        }
    }

    // Where nothing goes wrong, nothing fails but what another client is in the way of.
    void check_calm(const Answer& answer) {
        if (!calm_ || !answer.heard || !answer.error) return;
        if (answer.error->code == Code::Conflict || answer.error->code == Code::NotFound) return;
        broken("nothing is wrong, and a request fails: " + said(*answer.error));
    }

    // Whoever asks for a session that was answered for, and that nobody removes, finds it.
    void check_there(const std::string& id, const Answer& answer) {
        const auto& about = model_.at(id);
        // A restart ends what runs, and may be answered a moment before that is.
        const bool restarted = about.restarts > 0 || about.last_restarted_at >= answer.number;
        if (about.life == ModelSession::Life::Alive && !restarted) check_calm(answer);
        if (!answer.heard || !answer.error || answer.error->code != Code::NotFound) return;
        if (answer.error->message.rfind("there is no session", 0) != 0) return;
        auto& session = model_.at(id);
        if (session.life == ModelSession::Life::Alive) {
            broken("session " + id + " was answered for and is not there");
        }
        session.life = ModelSession::Life::Gone;
    }

    asio::awaitable<void> create(World& world, std::optional<milliseconds> patience) {
        std::optional<core::SessionRecord> made;
        const auto make = [](World& in,
                             std::optional<core::SessionRecord>& into) -> asio::awaitable<void> {
            sessions::NewSession wanted;
            wanted.owner = kOwner;
            into = co_await in.sessions.create(std::move(wanted));
        };
        const auto answer = co_await request(world, "create", make(world, made), patience);
        check_calm(answer);
        if (!answer.well()) co_return;
        ModelSession session;
        session.id = made->id.text();
        const auto id = session.id;
        if (!model_.emplace(id, std::move(session)).second) broken("the id " + id + " came twice");
    }

    // What the end of a run says of all variables of its session.
    void ran(const std::string& id, const Answer& answer, const RunAnswer& run, bool dangerous) {
        check_there(id, answer);
        auto& session = model_.at(id);
        if (answer.well() && run.end.state_lost) session.all_lost();
        // Nobody heard that the kernel ended.
        if (!answer.heard && dangerous) session.all_lost();
    }

    static bool ran_well(const Answer& answer, const RunAnswer& run) {
        return answer.well() && run.end.reason == core::EndReason::Exited && run.end.exit_code == 0;
    }

    asio::awaitable<void> set(World& world, std::string id, std::string name, bool odd,
                              std::optional<milliseconds> patience) {
        const auto value = (odd ? "!" : "") + std::to_string(++values_);
        model_.at(id).variables[name].tried(value);
        RunAnswer run;
        const auto answer =
            co_await request(world, "set " + id + " " + name + "=" + value,
                             run_in(world, id, "set " + name + " " + value, 10s, run), patience);
        ran(id, answer, run, false);
        if (ran_well(answer, run)) model_.at(id).variables[name].acknowledged(value);
    }

    asio::awaitable<void> get(World& world, std::string id, std::string name,
                              std::optional<milliseconds> patience) {
        model_.at(id).variables[name];
        RunAnswer run;
        const auto answer = co_await request(world, "get " + id + " " + name,
                                             run_in(world, id, "get " + name, 10s, run), patience);
        ran(id, answer, run, false);
        if (!ran_well(answer, run)) co_return;
        check(id, name, model_.at(id).variables[name], run.output);
    }

    void check(const std::string& id, const std::string& name, Cell& cell, std::string value) {
        if (!value.empty() && value.back() == '\n') value.pop_back();
        const auto before = cell.possible;
        if (cell.found(value)) return;
        std::string expected;
        for (const auto& one : before) expected += " " + one;
        broken(name + " of " + id + " is " + value + ", and may be one of:" + expected);
    }

    asio::awaitable<void> write_file(World& world, std::string id, std::string path,
                                     std::string text) {
        const auto use = co_await world.sessions.use(Whose::of(kOwner), SessionId(id));
        const auto room = co_await world.sessions.room_for(*use, text.size(), 0);
        bool sent = false;
        guest_client::ByteSource source =
            [&](std::span<char> into) -> asio::awaitable<std::size_t> {
            if (std::exchange(sent, true)) co_return 0;
            std::memcpy(into.data(), text.data(), text.size());
            co_return text.size();
        };
        const guest_client::Files files(use.link());
        guest_client::WriteOptions how;
        co_await files.write(std::move(path), how, std::move(source));
    }

    asio::awaitable<void> write(World& world, std::string id, std::string path, bool by_run,
                                std::optional<milliseconds> patience) {
        const auto value = std::to_string(++values_);
        model_.at(id).files[path].tried(value);
        RunAnswer run;
        auto work = by_run ? run_in(world, id, "write " + path + " " + value, 10s, run)
                           : write_file(world, id, path, value);
        const auto answer = co_await request(world, "write " + id + " " + path + "=" + value,
                                             std::move(work), patience);
        ran(id, answer, run, false);
        if (ran_well(answer, run)) model_.at(id).files[path].acknowledged(value);
    }

    asio::awaitable<void> read(World& world, std::string id, std::string path,
                               std::optional<milliseconds> patience) {
        model_.at(id).files[path];
        RunAnswer run;
        const auto answer = co_await request(world, "read " + id + " " + path,
                                             run_in(world, id, "read " + path, 10s, run), patience);
        ran(id, answer, run, false);
        if (!ran_well(answer, run)) co_return;
        check(id, path, model_.at(id).files[path], run.output);
    }

    asio::awaitable<void> evict(World& world, std::string id, bool only_pause,
                                std::optional<milliseconds> patience) {
        const auto work = [](World& in, std::string of, bool pause) -> asio::awaitable<void> {
            const SessionId session(of);
            if (pause)
                co_await in.sessions.pause(Whose::of(kOwner), session);
            else
                co_await in.sessions.evict(Whose::of(kOwner), session);
        };
        const auto answer = co_await request(world, (only_pause ? "pause " : "evict ") + id,
                                             work(world, id, only_pause), patience);
        check_there(id, answer);
    }

    asio::awaitable<void> fork(World& world, std::string id, std::uint64_t count,
                               std::optional<milliseconds> patience) {
        std::vector<core::SessionRecord> made;
        const auto before = model_.at(id);
        const auto work = [](World& in, std::string of, std::uint64_t copies,
                             std::vector<core::SessionRecord>& into) -> asio::awaitable<void> {
            const SessionId session(of);
            sessions::Sessions::Copies wanted;
            wanted.count = copies;
            into = co_await in.sessions.fork(Whose::of(kOwner), session, std::move(wanted));
        };
        const auto answer =
            co_await request(world, "fork " + id, work(world, id, count, made), patience);
        check_there(id, answer);
        if (!answer.well()) co_return;
        if (made.size() != count) broken("a fork into another number of sessions");
        for (const auto& record : made) {
            const auto name = record.id.text();
            note("  " + name + " is a fork of " + id);
            if (!model_.emplace(name, model_.at(id).forked(before, name)).second) {
                broken("the id " + name + " came twice");
            }
        }
    }

    asio::awaitable<void> remove(World& world, std::string id,
                                 std::optional<milliseconds> patience) {
        model_.at(id).life = ModelSession::Life::Unsure;
        const auto work = [](World& in, std::string of) -> asio::awaitable<void> {
            const SessionId session(of);
            co_await in.sessions.remove(Whose::of(kOwner), session);
        };
        const auto answer = co_await request(world, "remove " + id, work(world, id), patience);
        check_there(id, answer);
        if (!answer.well()) co_return;
        model_.at(id).life = ModelSession::Life::Gone;
        // What fails to go now goes later, or at the next start, if it is written down that it
        // goes.
        const auto record = disk_.records.find(id);
        const bool goes =
            record != disk_.records.end() && record->second.state == core::SessionState::Deleting;
        if (record != disk_.records.end() && !goes) {
            broken(id + " was removed, and its record is there");
        }
        if (disk_.trees.count(id) != 0 && !goes) {
            broken(id + " was removed, and its folder is there");
        }
        if (world.runtime.guest_of(id)) broken(id + " was removed, and its sandbox lives");
    }

    asio::awaitable<void> restart(World& world, std::string id,
                                  std::optional<milliseconds> patience) {
        const auto work = [](World& in, std::string of) -> asio::awaitable<void> {
            const SessionId session(of);
            co_await in.sessions.restart(Whose::of(kOwner), session);
        };
        model_.at(id).all_lost();
        ++model_.at(id).restarts;
        const auto answer = co_await request(world, "restart " + id, work(world, id), patience);
        check_there(id, answer);
        --model_.at(id).restarts;
        model_.at(id).last_restarted_at = result_.requests;
        model_.at(id).all_lost();
    }

    // Code that takes long, or its kernel or its sandbox along.
    asio::awaitable<void> misbehave(World& world, std::string id, Dice& dice,
                                    std::optional<milliseconds> patience) {
        const std::string code = kCode[dice.below(calm_ ? 2 : 5)];
        const bool dangerous = code == "die" || code == "hang";
        RunAnswer run;
        const auto answer = co_await request(world, "run " + id + " " + code,
                                             run_in(world, id, code, 5s, run), patience);
        ran(id, answer, run, dangerous);
    }

    asio::awaitable<void> process(World& world, std::string id, Dice& dice,
                                  std::optional<milliseconds> patience) {
        const auto work = [](World& in, std::string of, std::uint64_t ms, bool awake,
                             bool kill) -> asio::awaitable<void> {
            auto use = co_await in.sessions.use(Whose::of(kOwner), SessionId(of));
            sessions::ProcessStart wanted;
            wanted.argv = {"sleep", std::to_string(ms)};
            wanted.keep_awake = awake;
            const auto one = co_await in.processes.start(std::move(use), std::move(wanted));
            if (kill) one->kill();
            if (kill || awake) co_await one->wait(20s);
        };
        const auto answer = co_await request(
            world, "process " + id,
            work(world, id, dice.between(10, 40'000), dice.chance(50), dice.chance(30)), patience);
        check_there(id, answer);
    }

    asio::awaitable<void> list(World& world, std::vector<std::string>& into) {
        core::SessionQuery query{Whose::of(kOwner), {}, {}, {}, 1000};
        const auto page = co_await world.sessions.list(std::move(query));
        for (const auto& record : page.sessions) into.push_back(record.id.text());
    }

    asio::awaitable<void> look(World& world, std::optional<milliseconds> patience) {
        const auto before = sessions_there();
        std::vector<std::string> gone, listed;
        for (const auto& [id, session] : model_) {
            if (session.life == ModelSession::Life::Gone) gone.push_back(id);
        }
        const auto answer = co_await request(world, "list", list(world, listed), patience);
        check_calm(answer);
        if (!answer.well()) co_return;
        const auto is_listed = [&](const std::string& id) {
            return std::find(listed.begin(), listed.end(), id) != listed.end();
        };
        for (const auto& id : before) {
            if (model_.at(id).life == ModelSession::Life::Alive && !is_listed(id)) {
                broken(id + " is not listed");
            }
        }
        for (const auto& id : gone) {
            if (is_listed(id)) broken(id + " was removed and is listed");
        }
    }

    // ---- The end: nothing is wrong any more, and everything that was answered must be true ----

    asio::awaitable<void> look_at_everything() {
        World& world = *world_;
        co_await look(world, std::nullopt);
        for (const auto& id : sessions_there()) {
            for (int round = 0; round < 2 && result_.held; ++round) {
                std::vector<std::string> names, paths;
                for (const auto& [name, cell] : model_.at(id).variables) names.push_back(name);
                for (const auto& [path, cell] : model_.at(id).files) paths.push_back(path);
                for (const auto& name : names) co_await get(world, id, name, std::nullopt);
                for (const auto& path : paths) co_await read(world, id, path, std::nullopt);
                if (round == 0) co_await evict(world, id, false, std::nullopt);
            }
        }
        co_await rest(30s);
        std::size_t awake = 0;
        for (const auto& [state, count] : world.sessions.counts().awake) awake += count;
        if (awake != world.runtime.live()) {
            broken("the server counts " + std::to_string(awake) + " sandboxes, and there are " +
                   std::to_string(world.runtime.live()));
        }
        const auto all = sessions_there();
        for (std::size_t i = 0; i < all.size(); i += 2) {
            co_await remove(world, all[i], std::nullopt);
            if (model_.at(all[i]).life != ModelSession::Life::Gone) {
                broken(all[i] + " cannot be removed");
            }
        }
    }

    const SimulatorOptions options_;
    asio::io_context loop_{1};
    ScriptedClock clock_;
    Disk disk_;
    Dice dice_;
    const bool calm_;   // nothing goes wrong: then nothing may fail, either
    const bool crowd_;  // of clients who come at the same time
    const std::uint64_t clients_;
    const std::uint64_t sessions_max_;  // beyond it none is created; forks are
    const unsigned leaving_;            // clients, in percent of their requests
    core::Timer life_ends_;
    std::unique_ptr<World> world_;
    std::map<std::string, ModelSession> model_;
    std::list<std::shared_ptr<Pending>> pending_;
    std::uint64_t ids_ = 0, values_ = 0;
    double memory_free_ = 1;
    bool closing_ = false, over_ = false;
    std::deque<std::string> trace_;
    Simulated result_;
};

}  // namespace

Simulated simulate(SimulatorOptions options) {
    std::signal(SIGPIPE, SIG_IGN);  // as the server does
    auto simulator = std::make_unique<Simulator>(options);
    auto result = simulator->run();
    if (!result.held) static_cast<void>(simulator.release());
    return result;
}

}  // namespace atl::testing
