// CUDA C++ to PTX: clang's front end and LLVM's NVPTX back end, over files that are held in memory.
//
//     clang -cwd DIRECTORY ARGUMENT...
//
// The arguments are those of `clang -cc1`, without `-o`. stdin brings the files, each as `F SIZE PATH` and a line end,
// then its bytes. PTX goes to stdout, messages to stderr; the exit status is 0 if it compiled.
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <unistd.h>

using namespace clang;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;

static std::string read(int descriptor) {
  std::string text;
  static char part[65536];
  for (ssize_t size; (size = ::read(descriptor, part, sizeof part)) > 0;)
    text.append(part, size);
  return text;
}

// Adds the files of `bundle`; whether it is one.
static bool unpack(llvm::StringRef bundle, llvm::vfs::InMemoryFileSystem &files) {
  while (!bundle.empty()) {
    auto [head, rest] = bundle.split('\n');
    auto [size, path] = head.split(' ').second.split(' ');
    size_t bytes;
    if (!head.starts_with("F ") || size.getAsInteger(10, bytes) || bytes > rest.size())
      return false;
    files.addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(rest.take_front(bytes), path));
    bundle = rest.drop_front(bytes);
  }
  return true;
}

// A stream that can seek, as the code generator asks for one, over text that outlives it.
struct Text : llvm::raw_svector_ostream {
  explicit Text(llvm::SmallVectorImpl<char> &text) : raw_svector_ostream(text) {}
};

// Compiles; whether that went well.
static bool compile(llvm::ArrayRef<const char *> arguments, const char *program, Files files,
                    llvm::raw_ostream &messages, llvm::SmallVectorImpl<char> &ptx) {
  DiagnosticOptions plain;
  auto *early = new TextDiagnosticBuffer; // the engine's
  DiagnosticsEngine first(DiagnosticIDs::create(), plain, early);
  auto invocation = std::make_shared<CompilerInvocation>();
  bool understood = CompilerInvocation::CreateFromArgs(*invocation, arguments, first, program);

  CompilerInstance clang(invocation);
  clang.setVirtualFileSystem(files);
  clang.createDiagnostics(new TextDiagnosticPrinter(messages, clang.getDiagnosticOpts()), true);
  clang.setVerboseOutputStream(messages);
  early->FlushDiagnostics(clang.getDiagnostics());
  if (!understood)
    return false;

  std::vector<const char *> options{program};
  for (const std::string &option : clang.getFrontendOpts().LLVMArgs)
    options.push_back(option.c_str());
  llvm::cl::ParseCommandLineOptions(options.size(), options.data(), "", &messages, files.get());

  clang.setOutputStream(std::make_unique<Text>(ptx));
  EmitAssemblyAction action;
  return clang.ExecuteAction(action) && !clang.getDiagnostics().hasErrorOccurred();
}

int main(int count, char **given) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::ArrayRef<const char *> arguments(given, count);
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  if (count < 3 || llvm::StringRef(given[1]) != "-cwd")
    return 2;
  files->setCurrentWorkingDirectory(given[2]);
  if (!unpack(read(STDIN_FILENO), *files))
    return 2;
  std::string said;
  llvm::raw_string_ostream messages(said);
  llvm::SmallString<0> ptx;
  bool compiled = compile(arguments.drop_front(3), given[0], files, messages, ptx);
  fwrite(said.data(), 1, said.size(), stderr);
  fwrite(ptx.data(), 1, ptx.size(), stdout);
  fflush(stdout);
  // Without what ends a program in good order: the instance goes as a whole.
  _Exit(!compiled);
}
