import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A story that runs in its own process with its own temporary directory. */
export interface RunningStory extends AsyncDisposable {
  /** Waits until the output matches a pattern. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** Waits until the process ends. */
  end(): Promise<{ readonly status: number | null; readonly output: string }>
  /** Returns the files that remain in its temporary directory. */
  leftFiles(): Promise<readonly string[]>
}

/** Starts the program of `npm start` with these flags. The apps must be built. */
export async function startStory(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningStory> {
  const root = join(import.meta.dirname, '..', '..', '..')
  // Short, because the paths of unix sockets below it are limited to 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'st-'))
  const child: ChildProcess = spawn(
    process.execPath,
    ['-C', '@berth/source', 'tools/demo.ts', '--no-build', ...flags],
    { cwd: root, env: { ...process.env, ...env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  const changed = new EventTarget()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      changed.dispatchEvent(new Event('change'))
    })
  }
  const ended = once(child, 'close')
  return {
    async line(pattern) {
      for (;;) {
        const match = pattern.exec(output)
        if (match) return match
        if (child.exitCode !== null) throw new Error(`the story ended before ${pattern}:\n${output}`)
        await Promise.race([once(changed, 'change'), ended])
      }
    },
    signal: (name) => void child.kill(name),
    async end() {
      await ended
      return { status: child.exitCode, output }
    },
    leftFiles: () => readdir(folder),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Returns whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
