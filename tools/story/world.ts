import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import {
  eventually,
  type EventuallyOptions,
  type OwnedProcess,
  type ProcessGroup,
  UnmetExpectationError,
} from '@berth/testing'
import type { Narrator } from './narrator.ts'
import { openReadBack, type ReadBack } from './read-back.ts'

/** Apps of the story, by the name of their folder. */
export type AppName = 'advertiser' | 'device-plugin' | 'extender' | 'scheduler'

/** An app that runs and answers on its health address. */
export interface RunningApp {
  readonly process: OwnedProcess
  /** `http://host:port` of /livez, /readyz and /metrics. */
  readonly healthUrl: string
  /** Its configuration file. */
  readonly config: string
}

/** Everything that the steps of the story share. */
export interface World {
  readonly root: string
  /** Folder of this run: kubeconfig, configurations, logs, the kubelets' directories, the made-up devices. */
  readonly dir: string
  readonly kubeconfig: string
  readonly narrator: Narrator
  readonly processes: ProcessGroup
  /** Aborts on Ctrl-C and when one of the programs ended by itself. */
  readonly signal: AbortSignal
  readonly apps: Map<AppName, RunningApp>
  /** The cluster's own eyes; open once the cluster serves. */
  readBack(): ReadBack
  /** Waits, shows that it waits, and fails with what was waited for. */
  until<T>(what: string, look: () => Promise<T | undefined>, timeoutMs?: number): Promise<T>
  /** Writes a YAML file into the run's folder and returns its path. */
  writeYaml(name: string, value: unknown): string
  logPath(name: string): string
}

/** What a world is made of. */
export interface WorldOptions {
  readonly root: string
  readonly dir: string
  readonly narrator: Narrator
  readonly processes: ProcessGroup
  readonly signal: AbortSignal
}

/** A world before its first step. Disposing it closes the connection, not the programs. */
export function createWorld(options: WorldOptions): World & AsyncDisposable {
  const { root, dir, narrator, processes, signal } = options
  const logs = join(dir, 'logs')
  mkdirSync(logs, { recursive: true })
  const kubeconfig = join(dir, 'kubeconfig')
  let readBack: ReadBack | undefined
  return {
    root,
    dir,
    kubeconfig,
    narrator,
    processes,
    signal,
    apps: new Map(),
    readBack: () => (readBack ??= openReadBack(kubeconfig)),
    async until(what, look, timeoutMs = 60_000) {
      using _waiting = narrator.waiting(what)
      const options: EventuallyOptions = { what, timeoutMs, signal }
      return await eventually(look, options)
    },
    writeYaml(name, value) {
      const path = join(dir, name)
      writeFileSync(path, stringify(value))
      return path
    },
    logPath: (name) => join(logs, `${name}.log`),
    async [Symbol.asyncDispose]() {
      await readBack?.[Symbol.asyncDispose]()
    },
  }
}

/** The app of that name. */
export function appOf(world: World, name: AppName): RunningApp {
  const app = world.apps.get(name)
  if (app === undefined) throw new UnmetExpectationError(`${name} was not started`)
  return app
}
