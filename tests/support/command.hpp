#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace credence::test {

struct CommandResult {
  int code = -1;  ///< exit code, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

/// The built command, run in a folder of its own without a terminal.
class Command {
 public:
  const TemporaryFolder& folder() const { return folder_; }

  CommandResult run(const std::vector<std::string>& arguments, const std::string& input = "") const {
    return finish(start(arguments, input));
  }

  /// Runs a line of shell; $CREDENCE is the command.
  CommandResult shell(const std::string& line) const {
    return finish(spawn({"/bin/sh", "-c", line}, folder_.write("stdin", "")));
  }

  pid_t start(const std::vector<std::string>& arguments, const std::string& input = "") const {
    std::vector<std::string> words{CREDENCE_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return spawn(words, folder_.write("stdin", input));
  }

  CommandResult finish(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, read_text(folder_.file("stdout")), read_text(folder_.file("stderr"))};
  }

 private:
  pid_t spawn(const std::vector<std::string>& words, const std::string& input) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const auto redirect = [](const std::string& path, int flags, int number) {
      ::dup2(::open(path.c_str(), flags, 0600), number);
    };
    redirect(input, O_RDONLY, 0);
    redirect(folder_.file("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(folder_.file("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 2);
    ::setenv("CREDENCE", CREDENCE_COMMAND, 1);
    if (::chdir(folder_.path().c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  TemporaryFolder folder_;
};

}  // namespace credence::test
