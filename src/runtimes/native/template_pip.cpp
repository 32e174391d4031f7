#include "runtimes/native/template_pip.hpp"

#include "runtimes/native/paths.hpp"

namespace atl::native {

std::vector<EnvironmentFile> session_package_files(const std::string& packages) {
    const std::string guest = std::string("\"") + kGuestInside + "/python\"";
    // One line, as site.py wants it. Not with -I: the zygote must find nothing of a session's, and
    // neither must the trial of a new environment on the host.
    const std::string at_start = "import sys; sys.flags.isolated or (sys.path.insert(0, " + guest +
                                 "), __import__(\"atoll_guest.packages\").packages"
                                 ".use_in_program(), sys.path.remove(" +
                                 guest + "))\n";
    const std::string pip =
        "import sys\n\n"
        "sys.path.insert(0, " +
        guest +
        ")\n"
        "from atoll_guest import pip_command\n\n"
        "sys.path.remove(" +
        guest +
        ")\n"
        "sys.exit(pip_command.main(sys.argv[1:]))\n";
    // -P: a file json.py in the working directory is not pip's.
    const std::string command =
        std::string("#!/bin/sh\nexec ") + kEnvironmentInside + "/bin/python -P -m pip \"$@\"\n";
    return {{packages + "/atoll.pth", at_start},
            {packages + "/pip/__main__.py", pip},
            {"bin/pip", command, true},
            {"bin/pip3", command, true}};
}

}  // namespace atl::native
