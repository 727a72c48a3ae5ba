import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes every open, accept and connect of a process fail with EMFILE until it is disposed. What is open stays open. */
export function withoutFileDescriptors(pid: number): Disposable {
  const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? '1024'
  const limit = (amount: string): void => {
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${amount}:`])
  }
  limit('3')
  return { [Symbol.dispose]: () => limit(soft) }
}

const MEMORY_LIMIT_BYTES = 64 * 1_048_576
const memoryModule = join(import.meta.dirname, 'exhaust-memory.ts')
/** The files of the two versions of the kernel's memory controller. */
const controllers = [
  { dir: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
  { dir: '/sys/fs/cgroup', limit: 'memory.max' },
] as const

/**
 * Lets a program of {@link startLoggedProgram} allocate until the kernel kills it.
 *
 * @returns What ended it.
 * @throws Error unless the tests run as root.
 */
export async function killByMemory({ child, pid, ended }: LoggedProgram): Promise<number | NodeJS.Signals | null> {
  const group = `berth-test-${pid}`
  const { dir, limit } = controllers.find((each) => existsSync(join(each.dir, each.limit))) ?? controllers[1]
  const path = join(dir, group)
  try {
    mkdirSync(path)
    writeFileSync(join(path, limit), String(MEMORY_LIMIT_BYTES))
    writeFileSync(join(path, 'cgroup.procs'), String(pid))
  } catch (cause) {
    throw new Error(`limit memory with ${path}: tests of a killed process need root and a writable cgroup`, { cause })
  }
  child.kill('SIGUSR2')
  const how = await ended
  rmdirSync(path)
  return how
}

/** A file system in memory, whose space a test can use up. */
export interface SmallFileSystem extends Disposable {
  readonly dir: string
  /**
   * Uses up all space and all file names, so that writes and new files fail with ENOSPC.
   *
   * @param growing - A file whose last block is filled, too, so that nothing more can be appended.
   */
  fill(growing?: string): void
  /** Frees what `fill` took. */
  free(): void
}

/**
 * Mounts a small file system.
 *
 * @param dir - An empty folder. Default: one of its own.
 * @throws Error unless the tests run as root.
 */
export function mountSmallFileSystem(dir = mkdtempSync(join(tmpdir(), 'small-'))): SmallFileSystem {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=16,mode=0755', 'berth-test', dir], {
      stdio: 'pipe',
    })
  } catch (cause) {
    throw new Error(`mount a tmpfs on ${dir}: tests of a full disk need root; run npm test as root`, { cause })
  }
  const fillers: string[] = []
  return {
    dir,
    fill(growing) {
      const space = join(dir, 'filler')
      fillers.push(space)
      untilFull(() => {
        const file = openSync(space, 'a')
        try {
          writeSync(file, Buffer.alloc(4_096))
        } finally {
          closeSync(file)
        }
      })
      untilFull(() => {
        const path = join(dir, `filler-${fillers.length}`)
        closeSync(openSync(path, 'wx'))
        fillers.push(path)
      })
      if (growing !== undefined) untilFull(() => appendFileSync(growing, '\n'))
    },
    free() {
      for (const path of fillers.splice(0)) rmSync(path)
    },
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', dir])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function untilFull(take: () => void): void {
  for (;;) {
    try {
      take()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
  }
}

/** A program whose output goes into a file. */
export interface LoggedProgram extends AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** Returns the output so far. */
  output(): string
  /** Resolves to the exit code, or to the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/**
 * Starts `node` with its output in a file, as a supervisor does that keeps logs on a disk.
 *
 * @param args - Arguments of `node`.
 */
export function startLoggedProgram(args: readonly string[], logPath: string): LoggedProgram {
  const log = openSync(logPath, 'a')
  const child = spawn(process.execPath, ['--import', memoryModule, ...args], { stdio: ['ignore', log, log] })
  closeSync(log)
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code))
  })
  return {
    child,
    pid: child.pid ?? 0,
    output: () => readFileSync(logPath, 'utf8'),
    ended,
    async [Symbol.asyncDispose]() {
      // Lets it release its Lease.
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(killer)
    },
  }
}
