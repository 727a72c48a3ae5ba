import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { LoopbackRegistry } from './loopback-registry.ts'

/** The exit status and the output of a command. */
export interface CommandResult {
  readonly status: number
  readonly output: string
}

/** An empty folder outside the checkout, with npm on a loopback registry. Disposing it deletes the folder. */
export interface OutsideFolder extends AsyncDisposable {
  readonly path: string
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Runs a program in the folder, or in a folder below it. */
  run(command: readonly [string, ...string[]], folder?: string): Promise<CommandResult>
}

/** Creates an empty folder in which npm can reach nothing but `registry`. */
export async function outsideFolder(registry: LoopbackRegistry): Promise<OutsideFolder> {
  const path = await mkdtemp(join(tmpdir(), 'berth-outside-'))
  const work = join(path, 'work')
  await mkdir(work)
  const env = outsideEnvironment(path, registry.url)
  return {
    path: work,
    async write(files) {
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(work, file)), { recursive: true })
        await writeFile(join(work, file), text)
      }
    },
    run: ([program, ...args], folder = '.') =>
      new Promise((resolve) => {
        const options = { cwd: join(work, folder), env, maxBuffer: 64 * 1024 * 1024 }
        const child = execFile(program, args, options, (error, stdout, stderr) => {
          const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
          resolve({ status, output: `${stdout}${stderr}` })
        })
        child.stdin?.end()
      }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/**
 * Returns the environment variables for commands in the folder, like those of a user without a checkout: the pinned
 * Node and npm, an empty cache, and none of this checkout's settings.
 */
function outsideEnvironment(home: string, registry: string): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    NO_COLOR: '1',
    npm_config_registry: registry,
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_userconfig: join(home, 'npmrc'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
}
