import { createVirtualProcess, seededRandom, type VirtualProcess } from '@berth/clock/testing'
import type { ApiHandler, Clock, Random } from '@berth/types'
import { createNetworkLink, type NetworkLink, type NetworkOptions } from './network-link.ts'

/** The process that an app gets at its start. */
export interface AppEnvironment {
  readonly handler: ApiHandler
  readonly clock: Clock
  readonly random: Random
  /** Unique for each start. */
  readonly identity: string
  /** The app calls it when it ends by itself. */
  readonly onExit: (error: unknown) => void
}

/** An app under a kubelet, which starts it again when it has ended. */
export interface SupervisedApp<T> {
  readonly name: string
  /** The running app; undefined while it is down. */
  current(): T | undefined
  start(): void
  /** Ends the process at once; it starts again after some seconds. */
  kill(): void
  cut(): void
  heal(): void
  /** Moves the wall clock of its machine. */
  setWallOffset(ms: number): void
  /** Ends the process for good. */
  end(): void
}

const MIN_RESTART_MS = 500
const MAX_RESTART_MS = 10_000

/** Creates an app that is not started. */
export function createSupervisedApp<T>(options: {
  readonly name: string
  readonly launch: (environment: AppEnvironment) => T | Promise<T>
  readonly handler: ApiHandler
  readonly clock: Clock
  /** Seeds the random numbers of each process. */
  readonly random: Random
  readonly network: Omit<NetworkOptions, 'clock'>
  /** Called when the app ends by itself. */
  readonly onExit: (name: string, error: unknown) => void
}): SupervisedApp<T> {
  const { name, launch, handler, clock, random, network } = options
  let process: VirtualProcess | undefined
  let link: NetworkLink | undefined
  let app: T | undefined
  let isCut = false
  let isEnded = false
  let wallOffsetMs = 0
  let starts = 0

  function start(): void {
    if (process !== undefined || isEnded) return
    const own = createVirtualProcess(clock, () => wallOffsetMs)
    process = own
    link = createNetworkLink(own, handler, { ...network, clock })
    if (isCut) link.cut()
    const environment: AppEnvironment = {
      handler: link.handle,
      clock: own.clock,
      random: seededRandom(Math.floor(random() * 2 ** 32)),
      identity: `${name}-${++starts}`,
      onExit(error) {
        options.onExit(name, error)
        if (process === own) kill()
      },
    }
    void launchIn(own, environment)
  }

  async function launchIn(own: VirtualProcess, environment: AppEnvironment): Promise<void> {
    try {
      const launched = await launch(environment)
      if (process === own) app = launched
    } catch (error) {
      environment.onExit(error)
    }
  }

  function kill(): void {
    process?.kill()
    process = undefined
    app = undefined
    clock.setTimer(MIN_RESTART_MS + random() * (MAX_RESTART_MS - MIN_RESTART_MS), start)
  }

  return {
    name,
    current: () => app,
    start,
    kill() {
      if (process !== undefined) kill()
    },
    cut() {
      isCut = true
      link?.cut()
    },
    heal() {
      isCut = false
      link?.heal()
    },
    setWallOffset: (ms) => void (wallOffsetMs = ms),
    end() {
      isEnded = true
      process?.kill()
    },
  }
}
