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

/** An app of the story, by the name of its folder. */
export type AppName = 'advertiser' | 'device-plugin' | 'extender' | 'scheduler'

/** An app that runs and serves its health address. */
export interface RunningApp {
  readonly process: OwnedProcess
  /** `http://host:port` of /livez, /readyz and /metrics. */
  readonly healthUrl: string
  /** Path of its configuration file. */
  readonly config: string
}

/** State that the chapters of the story share. */
export interface StoryContext {
  readonly root: string
  /** Directory of this run: kubeconfig, configurations, logs, the kubelets' directories, the simulated devices. */
  readonly dir: string
  readonly kubeconfig: string
  readonly narrator: Narrator
  readonly processes: ProcessGroup
  /** Aborts on Ctrl-C and when one of the programs ends unexpectedly. */
  readonly signal: AbortSignal
  readonly apps: Map<AppName, RunningApp>
  /** Returns the reader of the cluster, and connects it on the first call. */
  readBack(): ReadBack
  /** Polls `probe` until it returns a value, shows the progress, and fails with `what` after the timeout. */
  until<T>(what: string, probe: () => Promise<T | undefined>, timeoutMs?: number): Promise<T>
  /** Writes a YAML file into the run's directory and returns its path. */
  writeYaml(name: string, value: unknown): string
  logPath(name: string): string
}

/** Options of a story context. */
export interface StoryContextOptions {
  readonly root: string
  readonly dir: string
  readonly narrator: Narrator
  readonly processes: ProcessGroup
  readonly signal: AbortSignal
}

/** Creates the state of a story. Disposing it closes the connection but does not end the programs. */
export function createStoryContext(options: StoryContextOptions): StoryContext & AsyncDisposable {
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
    async until(what, probe, timeoutMs = 60_000) {
      using _waiting = narrator.showWaiting(what)
      const options: EventuallyOptions = { what, timeoutMs, signal }
      return await eventually(probe, options)
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

/** Returns the running app with this name. */
export function startedApp(story: StoryContext, name: AppName): RunningApp {
  const app = story.apps.get(name)
  if (app === undefined) throw new UnmetExpectationError(`${name} was not started`)
  return app
}
