import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The exit code and the output of a command. */
export interface CommandResult {
  readonly code: number
  readonly output: string
}

/** A copy of the working tree with its own installed dependencies. Disposing it deletes the copy. */
export interface WorkspaceCopy extends Disposable {
  readonly root: string
  /** Runs a program in the copy. The programs of node_modules/.bin come first on PATH. */
  run(program: string, ...args: readonly string[]): Promise<CommandResult>
}

/**
 * Copies the tracked and untracked files of a working tree, except ignored ones, and installs the dependencies.
 *
 * @throws Error with the output of the installation when it fails.
 */
export async function copyWorkspace(source: string): Promise<WorkspaceCopy> {
  const root = mkdtempSync(join(tmpdir(), 'berth-walk-'))
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: source,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const file of list.split('\0')) {
    // A tracked file may be deleted in the working tree.
    if (file === '' || !existsSync(join(source, file))) continue
    mkdirSync(dirname(join(root, file)), { recursive: true })
    cpSync(join(source, file), join(root, file), { verbatimSymlinks: true })
  }
  const copy: WorkspaceCopy = {
    root,
    run: (program, ...args) => runIn(root, program, args),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
  const install = await copy.run('node', 'tools/pnpm.mjs', 'install', '--prefer-offline', '--frozen-lockfile')
  if (install.code !== 0) throw new Error(`cannot install the dependencies of ${root}: ${install.output}`)
  return copy
}

function runIn(cwd: string, program: string, args: readonly string[]): Promise<CommandResult> {
  const env = {
    ...process.env,
    PATH: `${join(cwd, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    NO_COLOR: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    // The reporters of vitest look at it, and a walk is a run of its own.
    VITEST: undefined,
  }
  return new Promise((resolve) => {
    execFile(program, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
}
