// Building a template: install, prove that it works, keep what is slow to make, publish.
#include "runtimes/native/template.hpp"
#include "runtimes/native/template_child.hpp"
#include "runtimes/native/template_folder.hpp"
#include "runtimes/native/template_pip.hpp"
#include "sys/files.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace atl::native {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

// The kernel inside is made of the first two, and sessions install wheels with the third, whatever
// else a template asks for.
constexpr std::array kAlwaysThere = {"ipython", "cloudpickle", "pip"};
constexpr std::chrono::seconds kInstallTimeMax{1800};  // gigabytes over a slow line
constexpr std::chrono::seconds kProveTimeMax{300};
constexpr int kInstallTries = 3;

// Runs in the new environment. Imports what the zygote will import and under its conditions (one
// thread), lists the packages, and makes matplotlib's list of fonts. Only system fonts and its own
// are in that list: sandboxes see no other.
constexpr const char* kProve = R"python(
import dataclasses, importlib, importlib.metadata, importlib.util, json, os, sys, tempfile
answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)  # what a package prints is no answer

def end(**members):
    json.dump(members, answer)
    answer.flush()
    os._exit(0)

with tempfile.TemporaryDirectory() as folder:
    os.environ["MPLCONFIGDIR"] = folder
    for index, name in enumerate(json.loads(sys.argv[1])):
        try:
            importlib.import_module(name)
        except BaseException as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            end(failed=index, missing=missing, error=f"{type(error).__name__}: {error}")
        threads = len(os.listdir("/proc/self/task")) - 1
        if threads:
            end(failed=index, missing=None, error=f"it starts {threads} threads when imported")
    packages = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
    members = {"version": sys.version.split()[0], "packages": dict(sorted(packages.items()))}
    if importlib.util.find_spec("matplotlib"):
        import matplotlib
        from matplotlib import font_manager
        manager = font_manager.FontManager()
        ours = ("/usr/", matplotlib.get_data_path())
        manager.ttflist = [f for f in manager.ttflist if f.fname.startswith(ours)]
        manager.afmlist = [f for f in manager.afmlist if f.fname.startswith(ours)]
        # Programs ask for fonts of other systems by name, and seaborn's theme for Arial alone.
        names = {f.name for f in manager.ttflist}
        cjk = next((name for name in json.loads(sys.argv[2]) if name in names), None)
        if cjk:
            faces = [f for f in manager.ttflist if f.name == cjk]
            manager.ttflist += [dataclasses.replace(face, name=name) for face in faces
                                for name in json.loads(sys.argv[3]) if name not in names]
            members["cjk_font"] = cjk
        path = os.path.join(folder, f"fontlist-v{font_manager.FontManager.__version__}.json")
        font_manager.json_dump(manager, path)
        with open(path, encoding="utf-8") as file:
            members["font_list"] = file.read()
        members["font_cache"] = os.path.basename(path)
end(**members)
)python";

// Any one of these covers Chinese, Japanese and Korean; the first that is there is taken, since
// each further font costs time in every figure.
constexpr std::array kCjkFonts = {"Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans JP",
                                  "WenQuanYi Zen Hei", "Droid Sans Fallback"};
// Names under which it is found as well, where the host does not have the font itself.
constexpr std::array kStandIns = {"Arial",         "Arial Unicode MS", "SimHei",
                                  "SimSun",        "Microsoft YaHei",  "PingFang SC",
                                  "Hiragino Sans", "MS Gothic",        "Yu Gothic",
                                  "Malgun Gothic", "AppleGothic",      "NanumGothic"};

// Removes the half-made folder on every way out but the good one.
class Partial {
public:
    explicit Partial(std::string folder) : folder_(std::move(folder)) {}
    ~Partial() {
        std::error_code failed;
        if (!folder_.empty()) fs::remove_all(folder_, failed);
    }
    Partial(const Partial&) = delete;
    Partial& operator=(const Partial&) = delete;
    void keep() { folder_.clear(); }

private:
    std::string folder_;
};

Result<void> write_file(const std::string& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) return sys::errno_error("write " + path, Code::Exhausted);
    ::chmod(path.c_str(), 0644);
    return {};
}

bool is_program(const std::string& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

// Without what would lead uv or Python away from the environment that is being built.
std::vector<std::string> installer_environment() {
    constexpr std::array kDropped = {"PYTHON",     "VIRTUAL_ENV=", "CONDA_",     "UV_PYTHON",
                                     "UV_SYSTEM_", "UV_PROJECT",   "LD_PRELOAD="};
    std::vector<std::string> kept;
    bool home = false;
    for (char** one = ::environ; *one != nullptr; ++one) {
        const std::string variable(*one);
        home = home || variable.starts_with("HOME=");
        if (std::none_of(kDropped.begin(), kDropped.end(),
                         [&](const char* name) { return variable.starts_with(name); })) {
            kept.push_back(variable);
        }
    }
    for (const char* added : {"NO_COLOR=1", "UV_NO_PROGRESS=1", "UV_PYTHON_DOWNLOADS=never"}) {
        kept.emplace_back(added);
    }
    if (!home) kept.emplace_back("UV_NO_CACHE=1");  // it would keep its cache in the build
    return kept;
}

std::vector<std::string> proving_environment() {
    return {"PATH=/usr/bin:/bin",
            "HOME=/nonexistent",
            "LANG=C.UTF-8",
            "MPLBACKEND=agg",
            "PYTHONDONTWRITEBYTECODE=1",
            "OPENBLAS_NUM_THREADS=1",
            "OMP_NUM_THREADS=1",
            "MKL_NUM_THREADS=1",
            "NUMEXPR_NUM_THREADS=1",
            "RAYON_NUM_THREADS=1",
            "POLARS_MAX_THREADS=1",
            "JE_ARROW_MALLOC_CONF=background_thread:false"};
}

bool contains_any(const std::string& text, std::initializer_list<const char*> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const char* part) { return text.find(part) != std::string::npos; });
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// The installer's message on one line, without its drawing.
std::string shortened(const std::string& text) {
    std::string words;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x80) continue;
        if (c == '\n' || c == ' ' || c == '\t') {
            if (!words.empty() && words.back() != ' ') words += ' ';
        } else {
            words += c;
        }
    }
    for (const char* label : {"error: ", "cause: "}) {
        for (auto at = words.find(label); at != std::string::npos; at = words.find(label)) {
            words.erase(at, std::string_view(label).size());
        }
    }
    constexpr std::size_t kShown = 600;
    if (words.size() > kShown) words = words.substr(0, kShown) + " ...";
    while (words.ends_with(' ')) words.pop_back();
    return words;
}

Error disk_full(const std::string& where) {
    return {Code::Exhausted, "the disk is full at " + where +
                                 " (default needs 1 GB); free some space, or choose another "
                                 "place with ATOLL_DATA_DIR. No partial files are left"};
}

// The installer speaks in words only; these are its own.
enum class Trouble { Packages, Network, Disk };
Trouble trouble_in(const std::string& errors) {
    if (contains_any(errors, {"No space left", "os error 28", "Disk quota exceeded"})) {
        return Trouble::Disk;
    }
    if (contains_any(errors, {"No solution found", "Failed to parse"})) return Trouble::Packages;
    if (contains_any(errors, {"Failed to fetch", "Failed to download", "error sending request",
                              "timed out", "dns error", "onnection", "Request failed"})) {
        return Trouble::Network;
    }
    return Trouble::Packages;
}

class Build {
public:
    Build(const Paths& paths, const Template& wanted, const std::string& text,
          const BuildListener& listener)
        : wanted_(wanted),
          text_(text),
          listener_(listener),
          folder_(partial_folder(paths, wanted.name)),
          data_(paths.data) {}

    Result<void> run() {
        for (const auto step : {&Build::check_host, &Build::make_folders, &Build::make_environment,
                                &Build::install, &Build::let_sessions_install, &Build::compile,
                                &Build::prove, &Build::make_readable, &Build::record}) {
            if (StopSignals::raised()) return Error{Code::Unavailable, "stopped by a signal"};
            if (auto done = (this->*step)(); !done) return done;
        }
        return {};
    }

private:
    Result<void> check_host() {
        python_ = system_python();
        if (python_.empty()) {
            return Error{Code::Unavailable,
                         "this machine has no /usr/bin/python3, nor one in /usr/local/bin; install "
                         "the package python3"};
        }
        for (std::size_t i = 0; i < wanted_.trees.size(); ++i) {
            std::error_code failed;
            if (fs::exists(wanted_.trees[i].source, failed)) continue;
            return Error{Code::InvalidArgument, "trees[" + std::to_string(i) + "].source: " +
                                                    wanted_.trees[i].source + " does not exist"};
        }
        auto uv = find_uv();
        if (!uv) return uv.error();
        uv_ = *uv;
        return {};
    }

    Result<void> make_folders() {
        for (const auto& folder : {folder_, folder_ + "/cache", folder_ + "/etc"}) {
            if (::mkdir(folder.c_str(), 0755) != 0 || ::chmod(folder.c_str(), 0755) != 0) {
                if (errno == ENOSPC || errno == EDQUOT) return disk_full(data_);
                return sys::errno_error("make " + folder);
            }
        }
        std::string constraints;
        for (const auto& line : wanted_.constraints) constraints += line + "\n";
        if (auto written = write_file(folder_ + "/constraints.txt", constraints); !written) {
            return written;
        }
        return write_file(folder_ + "/" + kAskedFile,
                          text_.empty() ? Template::builtin_default() : text_);
    }

    Result<void> make_environment() {
        listener_.step("making a Python environment from " + python_);
        return call_uv({"venv", "--quiet", "--relocatable", "--no-project", "--python", python_,
                        folder_ + "/env"});
    }

    Result<void> install() {
        listener_.step("installing " + counted(wanted_.packages.size(), "package") +
                       " and what they need");
        // Not links into a cache that somebody can write to.
        std::vector<std::string> arguments = {
            "pip",         "install", "--python",      folder_ + "/env/bin/python",
            "--link-mode", "copy",    "--constraints", folder_ + "/constraints.txt"};
        if (!wanted_.source_builds) arguments.emplace_back("--no-build");
        arguments.emplace_back("--");
        for (const auto& package : wanted_.packages) arguments.push_back(package);
        for (const char* package : kAlwaysThere) arguments.emplace_back(package);
        return call_uv(arguments);
    }

    Result<void> let_sessions_install() {
        std::error_code failed;
        std::string packages;
        for (fs::directory_iterator at(folder_ + "/env/lib", failed), end; !failed && at != end;
             at.increment(failed)) {
            const auto name = at->path().filename().string();
            if (name.starts_with("python")) packages = "lib/" + name + "/site-packages";
        }
        if (packages.empty()) return Error{Code::Internal, "the environment has no packages"};
        for (const auto& file : session_package_files(packages)) {
            const std::string path = folder_ + "/env/" + file.path;
            if (auto written = write_file(path, file.text); !written) return written;
            if (file.program && ::chmod(path.c_str(), 0755) != 0) {
                return sys::errno_error("make a program of " + path);
            }
        }
        return {};
    }

    // By the host's Python without its site: the new environment's would run the .pth files of
    // every package, as root, and so would uv's own --compile-bytecode.
    Result<void> compile() {
        listener_.step("compiling bytecode");
        Child child;
        child.argv = {python_, "-I", "-S", "-m", "compileall", "-q", "-j", "0",
                      // The path that tracebacks show inside.
                      "-s", folder_ + "/env", "-p", kEnvironmentInside, folder_ + "/env/lib"};
        child.environment = proving_environment();
        child.folder = folder_;
        child.time_max = kInstallTimeMax;
        child.still = listener_.still;
        auto end = run_child(child);
        if (!end) return end.error().during("compile bytecode");
        if (end->succeeded) return {};
        if (trouble_in(end->output + end->errors) == Trouble::Disk) return disk_full(data_);
        // Packages carry files that no Python of today compiles; they are none the worse for it.
        return {};
    }

    Result<void> call_uv(const std::vector<std::string>& arguments) {
        Child child;
        child.argv = {uv_};
        child.argv.insert(child.argv.end(), arguments.begin(), arguments.end());
        child.environment = installer_environment();
        child.folder = folder_;  // no project file of the caller's folder is read
        child.time_max = kInstallTimeMax;
        child.on_error_line = [this](const std::string& line) { pass_on(line); };
        child.still = listener_.still;
        for (int tries = 1;; ++tries) {
            auto end = run_child(child);
            if (!end) return end.error().during("install packages");
            if (end->succeeded) return {};
            const auto trouble = trouble_in(end->errors);
            if (trouble == Trouble::Network && tries < kInstallTries) {
                listener_.step("a download failed; trying again (" + std::to_string(tries + 1) +
                               " of " + std::to_string(kInstallTries) + ")");
                pause(std::chrono::seconds(2 * tries));
                if (!StopSignals::raised()) continue;
            }
            return explain(trouble, end->errors);
        }
    }

    static void pause(std::chrono::milliseconds time) {
        constexpr std::chrono::milliseconds kPiece{100};
        for (; time.count() > 0 && !StopSignals::raised(); time -= kPiece) {
            std::this_thread::sleep_for(kPiece);
        }
    }

    // What tells of progress, without the list of what was installed.
    void pass_on(const std::string& line) {
        for (const char* start : {"Resolved ", "Prepared ", "Installed "}) {
            if (line.starts_with(start)) listener_.step(line);
        }
    }

    Error explain(Trouble trouble, const std::string& errors) const {
        const auto said = shortened(errors);
        switch (trouble) {
            case Trouble::Disk: return disk_full(data_);
            case Trouble::Network:
                return {Code::Unavailable,
                        "the package index could not be reached: " + said +
                            ". Check the network and its proxy (HTTPS_PROXY), or name another "
                            "index with UV_INDEX_URL"};
            case Trouble::Packages: break;
        }
        const bool sources = contains_any(
            errors, {"no-build", "no usable wheels", "building from source is disabled"});
        return {Code::InvalidArgument,
                "install packages: " + said +
                    (sources && !wanted_.source_builds
                         ? " Only ready-made wheels are taken; \"source_builds\": true in python "
                           "lets a package run its build script on this host"
                         : " Check the names and versions in python.packages")};
    }

    Result<void> prove() {
        listener_.step("checking that " + counted(wanted_.preload.size(), "module") +
                       " can be preloaded, and listing fonts");
        json::array modules;
        for (const auto& module : wanted_.preload) modules.emplace_back(module);
        Child child;
        child.argv = {folder_ + "/env/bin/python",
                      "-I",
                      "-c",
                      kProve,
                      json::serialize(modules),
                      json::serialize(json::array(kCjkFonts.begin(), kCjkFonts.end())),
                      json::serialize(json::array(kStandIns.begin(), kStandIns.end()))};
        child.environment = proving_environment();
        for (const auto& [name, value] : wanted_.environment) {
            child.environment.push_back(name + "=" + value);
        }
        child.folder = folder_;
        child.unprivileged = true;
        child.time_max = kProveTimeMax;
        child.still = listener_.still;
        auto end = run_child(child);
        if (!end) return end.error().during("try the new environment");
        json::error_code failed;
        const auto answer = json::parse(end->output, failed);
        if (!end->succeeded || failed || !answer.is_object()) {
            return Error{Code::Internal,
                         "try the new environment: Python ended without an answer: " +
                             shortened(end->errors)};
        }
        proof_ = answer.get_object();
        if (const auto* at = proof_.if_contains("failed")) return refused_preload(*at);
        return keep_fonts();
    }

    Result<void> refused_preload(const json::value& at) const {
        const auto index = at.is_int64() ? static_cast<std::size_t>(at.get_int64()) : 0;
        if (index >= wanted_.preload.size()) return Error{Code::Internal, "a wrong answer"};
        const std::string module = wanted_.preload[index];
        const std::string where = "python.preload[" + std::to_string(index) + "]: module " + module;
        const auto* error = proof_.if_contains("error");
        const std::string why = error && error->is_string() ? std::string(error->get_string()) : "";
        const auto* missing = proof_.if_contains("missing");
        if (missing && missing->is_string()) {
            return Error{Code::InvalidArgument,
                         where + " cannot be imported: no package in python.packages brings " +
                             std::string(missing->get_string()) +
                             "; add the package, or take the module out of preload"};
        }
        return Error{Code::InvalidArgument, where + " cannot be preloaded: " + shortened(why)};
    }

    Result<void> keep_fonts() {
        const auto text = [this](const char* key) {
            const auto* found = proof_.if_contains(key);
            return found && found->is_string() ? std::string(found->get_string()) : std::string();
        };
        std::string families = "DejaVu Sans";
        const auto cjk = text("cjk_font");
        const auto name = text("font_cache");
        if (std::find(kCjkFonts.begin(), kCjkFonts.end(), cjk) != kCjkFonts.end()) {
            families += ", " + cjk;
        } else if (!name.empty()) {
            listener_.step(
                "no font for Chinese, Japanese and Korean is installed (fonts-noto-cjk); "
                "plots will show boxes for such text");
        }
        const std::string settings =
            "# A list of families: each glyph comes from the first font that has it.\n"
            "backend: agg\n"
            "font.family: " +
            families + "\n";
        if (auto written = write_file(folder_ + "/etc/matplotlibrc", settings); !written) {
            return written;
        }
        // The name comes from package code: it must stay in its folder.
        if (!name.starts_with("fontlist-") || name.find('/') != std::string::npos) return {};
        font_cache_ = name;
        return write_file(folder_ + "/cache/" + name, text("font_list"));
    }

    // Sandboxes read as other users, and nobody writes.
    Result<void> make_readable() {
        std::error_code failed;
        fs::remove(folder_ + "/constraints.txt", failed);
        for (fs::recursive_directory_iterator at(folder_, failed), end; !failed && at != end;
             at.increment(failed)) {
            struct stat about {};
            if (::lstat(at->path().c_str(), &about) != 0 || S_ISLNK(about.st_mode)) continue;
            bytes_ += static_cast<std::uint64_t>(about.st_size);
            ++files_;
            const mode_t mode = about.st_mode & 07777;
            const mode_t wanted = (about.st_mode & 0111) != 0 ? 0755 : 0644;
            if (mode != wanted && ::chmod(at->path().c_str(), wanted) != 0) {
                return sys::errno_error("make readable " + at->path().string());
            }
        }
        if (failed) {
            return Error{Code::Internal, "look through " + folder_ + ": " + failed.message()};
        }
        return {};
    }

    Result<void> record() {
        // After a power cut, no folder may claim to be built whose files did not reach the disk.
        const UniqueFd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!folder || ::syncfs(folder.get()) != 0) {
            if (errno == ENOSPC || errno == EDQUOT) return disk_full(data_);
            return sys::errno_error("write " + folder_ + " to the disk");
        }
        std::error_code failed;
        const auto python = fs::canonical(folder_ + "/env/bin/python", failed);
        if (failed) {
            return Error{Code::Internal, "the environment has no Python: " + failed.message()};
        }
        const auto spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_);
        char now[32];
        const std::time_t seconds = std::time(nullptr);
        std::tm parts{};
        std::strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&seconds, &parts));
        json::object built{{"built_at", now},           {"build_seconds", spent.count()},
                           {"bytes", bytes_},           {"files", files_},
                           {"python", python.string()}, {"font_cache", font_cache_}};
        for (const char* key : {"version", "packages"}) {
            if (const auto* found = proof_.if_contains(key)) {
                built[std::string(key) == "version" ? "python_version" : key] = *found;
            }
        }
        return write_file(folder_ + "/" + kBuiltFile, json::serialize(built) + "\n");
    }

    const Template& wanted_;
    const std::string& text_;
    const BuildListener& listener_;
    std::string python_;
    std::string folder_;
    std::string data_;
    std::string uv_;
    std::string font_cache_;
    json::object proof_;
    std::uint64_t bytes_ = 0;
    std::uint64_t files_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::string> find_uv() {
    if (const char* named = std::getenv("ATOLL_UV"); named != nullptr && *named != '\0') {
        if (is_program(named)) return std::string(named);
        return Error{Code::NotFound,
                     "ATOLL_UV names " + std::string(named) + ", which is not a program"};
    }
    std::error_code failed;
    const auto self = fs::read_symlink("/proc/self/exe", failed);
    // build/<preset>/atoll of a checkout.
    const auto ours = self.parent_path().parent_path().parent_path() / ".tools/uv/bin/uv";
    if (is_program(ours.string())) return ours.string();
    // <prefix>/libexec/atoll/atoll of a Python package, whose requirement uv is in <prefix>/bin.
    const auto with_us = self.parent_path().parent_path().parent_path() / "bin/uv";
    if (is_program(with_us.string())) return with_us.string();
    const char* path = std::getenv("PATH");
    std::string folders = path == nullptr ? "" : path;
    while (!folders.empty()) {
        const auto colon = folders.find(':');
        const auto folder = folders.substr(0, colon);
        if (folder.starts_with('/') && is_program(folder + "/uv")) return folder + "/uv";
        folders = colon == std::string::npos ? "" : folders.substr(colon + 1);
    }
    return Error{Code::NotFound,
                 "uv, which installs Python packages, is missing; `pip install uv` installs it, "
                 "in a checkout ./scripts/setup, or ATOLL_UV names one"};
}

std::string system_python() {
    for (const char* path : {"/usr/bin/python3", "/usr/local/bin/python3"}) {
        if (is_program(path)) return path;
    }
    return {};
}

namespace {

// Under the lock of the name, with a StopSignals that outlives all that must be cleaned up.
Result<Template> build_locked(const Paths& paths, const Template& wanted, const std::string& text,
                              const BuildListener& listener) {
    sweep(paths, wanted.name);
    Partial partial(partial_folder(paths, wanted.name));
    if (auto done = Build(paths, wanted, text, listener).run(); !done) {
        if (StopSignals::raised()) listener.step("stopping; removing partial files");
        return done.error();
    }
    if (auto done = publish(paths, wanted.name); !done) return done.error();
    partial.keep();
    sweep(paths, wanted.name);
    return Template::load(paths, wanted.name);
}

// The lock of the name, as soon as no other process has it; empty if that one left a build.
Result<UniqueFd> lock_or_build_of_another(const Paths& paths, const std::string& name,
                                          const BuildListener& listener) {
    constexpr std::chrono::milliseconds kBetween{100};
    for (bool told = false;; told = true) {
        auto lock = lock_build(paths, name);
        if (!lock && lock.error().code != Code::Conflict) return lock.error();
        if (!current_build(paths, name).empty()) return UniqueFd();
        if (lock) return lock;
        if (!told) listener.step("waiting for another process, which is making it");
        if (StopSignals::raised()) return Error{Code::Unavailable, "stopped by a signal"};
        listener.still();
        std::this_thread::sleep_for(kBetween);
    }
}

}  // namespace

Result<Template> build_template(const Paths& paths, const Template& wanted, const std::string& text,
                                const BuildListener& listener) {
    const StopSignals signals;
    const std::string intent = "build template " + wanted.name;
    const auto lock = lock_build(paths, wanted.name);
    if (!lock) return lock.error().during(intent);
    auto made = build_locked(paths, wanted, text, listener);
    if (!made) return made.error().during(intent);
    return made;
}

Result<void> build_missing_default(const Paths& paths, const BuildListener& listener) {
    const std::string name = "default";
    if (!current_build(paths, name).empty()) return {};
    const StopSignals signals;
    const std::string intent = "build the missing template " + name;
    const auto lock = lock_or_build_of_another(paths, name, listener);
    if (!lock) return lock.error().during(intent);
    if (!*lock) return {};
    listener.step("the template default is missing and is built now, once (some 740 MiB)");
    const auto wanted = Template::parse(name, "").value();
    if (auto made = build_locked(paths, wanted, "", listener); !made) {
        auto error = made.error().during(intent);
        if (!StopSignals::raised()) {
            error.message +=
                ". Then start again, or try it alone with: atoll template build " + name;
        }
        return error;
    }
    return {};
}

}  // namespace atl::native
