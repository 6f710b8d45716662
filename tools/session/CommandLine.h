//===- CommandLine.h - options that several tools have ---------*- C++ -*-===//
#ifndef KFUSE_TOOLS_SESSION_COMMANDLINE_H
#define KFUSE_TOOLS_SESSION_COMMANDLINE_H

#include "Session.h"

namespace CLI {
class App;
}

namespace kfuse {

/// The package and its inputs. Both objects must outlive the parsing.
void addInputOptions(CLI::App &app, Options &options);
/// Where operators and weights come from.
void addLibraryOptions(CLI::App &app, Options &options);

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_COMMANDLINE_H
