import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A story that is being told in a process of its own, with a temporary folder of its own. */
export interface RunningStory extends AsyncDisposable {
  /** Waits for a match in what was printed so far. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** Waits for its end. */
  end(): Promise<{ readonly status: number | null; readonly output: string }>
  /** Files that it left in its temporary folder. */
  leftFiles(): Promise<readonly string[]>
}

/** Starts `npm start`'s program with these flags; the apps must be built. */
export async function startStory(flags: readonly string[]): Promise<RunningStory> {
  const root = join(import.meta.dirname, '..', '..', '..')
  // Short, since unix sockets are made below it.
  const folder = await mkdtemp(join(tmpdir(), 'st-'))
  const child: ChildProcess = spawn(
    process.execPath,
    ['-C', '@berth/source', 'tools/demo.ts', '--no-build', ...flags],
    { cwd: root, env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
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

/** Whether a process with that id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
