#include "application.hpp"

int main(int argc, char** argv) {
  return credence::cli::run_application(argc, argv);
}
