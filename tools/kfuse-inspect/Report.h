//===- Report.h - what kfuse-inspect prints ---------------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_INSPECT_REPORT_H
#define KFUSE_TOOLS_KFUSE_INSPECT_REPORT_H

#include "Ledger.h"
#include <iosfwd>

/// Everything about a package, for people.
void printReport(const PackageFile &package, const Symbols &symbols,
                 std::ostream &os);
/// Every variant of every launch: grid, block, guards.
void printKernels(const PackageFile &package, const Symbols &symbols,
                  std::ostream &os);
/// The same as the report, for programs.
Json makeReport(const PackageFile &package, const Symbols &symbols);
/// What is in one package and not in the other. True when they are alike.
bool printDiff(const PackageFile &before, const PackageFile &after,
               const Symbols &symbols, std::ostream &os);

/// `1.5 MB`.
std::string printBytes(double bytes);

#endif
