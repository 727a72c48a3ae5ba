import { errorText } from '@berth/text/error-text'
import { basename, dirname, join } from 'node:path'
import { shellCommand } from '@berth/text/shell-command'
import type { Command } from '../cli/command.ts'
import { CommandError } from '../errors.ts'
import { COMPLETE } from '../cli/completion-context.ts'

/** The program that kubectl runs to complete `kubectl berth`. */
const EXECUTABLE = 'kubectl_complete-berth'

/** Dependencies of {@link completionInstallCommand}. */
export interface CompletionInstall {
  /** Path of this program, as it was called. */
  readonly program: string
  /** Whether the program contains Node. */
  readonly isSingleExecutable: boolean
  /** Writes an executable file. Rejects with the system's error. */
  readonly writeExecutable: (path: string, text: string) => Promise<void>
}

/** Creates `kubectl berth completion install`, which makes kubectl complete `kubectl berth`. */
export function completionInstallCommand({ writeExecutable, ...called }: CompletionInstall): Command {
  return {
    name: 'completion install',
    summary: `Makes the shell complete "kubectl berth": writes ${EXECUTABLE} to a directory in the PATH.`,
    usesCluster: false,
    flags: [
      {
        name: 'dir',
        placeholder: 'DIR',
        description: 'Where to write it. Default: the directory of kubectl-berth.',
      },
    ],
    examples: [{ command: 'kubectl berth completion install', description: 'Next to kubectl-berth' }],
    notes: [
      'The shell must complete kubectl itself (see: kubectl completion --help), from kubectl 1.26 on.',
      `Without it: kubectl berth completion script > ${EXECUTABLE}, made executable, in a directory of the PATH.`,
    ],
    async run(line, { terminal }) {
      const path = join(line.text('dir') ?? dirname(called.program), EXECUTABLE)
      try {
        await writeExecutable(path, scriptFor(called))
      } catch (cause) {
        throw new CommandError(`write ${path}: ${errorText(cause)}`, {
          code: 'BERTH_KUBECTL_FILE',
          cause,
          hint: 'Choose a writable directory of the PATH with --dir.',
        })
      }
      terminal.out(`${path}\n`)
      terminal.note('kubectl completes "kubectl berth" once this directory is in the PATH.\n')
    },
  }
}

/** Creates `kubectl berth completion script`. */
export function completionScriptCommand(called: Omit<CompletionInstall, 'writeExecutable'>): Command {
  return {
    name: 'completion script',
    summary: `Prints ${EXECUTABLE}, the program that kubectl runs to complete "kubectl berth".`,
    usesCluster: false,
    flags: [],
    examples: [
      {
        command: `kubectl berth completion script > ~/.local/bin/${EXECUTABLE}`,
        description: 'Write it by hand; it must also be made executable',
      },
    ],
    async run(_, { terminal }) {
      terminal.out(scriptFor(called))
    },
  }
}

/** A program that kubectl finds by its name is called by name, so that the script survives an upgrade. */
function scriptFor({ program, isSingleExecutable }: Omit<CompletionInstall, 'writeExecutable'>): string {
  const isByName = basename(program) === 'kubectl-berth'
  const words = isByName ? ['kubectl-berth'] : isSingleExecutable ? [program] : ['node', program]
  return `#!/bin/sh\n# Completes "kubectl berth" for kubectl 1.26 or newer.\nexec ${shellCommand(...words)} ${COMPLETE} "$@"\n`
}
