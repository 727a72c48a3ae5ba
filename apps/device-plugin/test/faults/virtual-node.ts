import { createTestClock, seededRandom, type TestClock } from '@berth/clock/testing'
import type { DeviceSource } from '@berth/plugin-api'
import type { Device, Random } from '@berth/types'
import { startVirtualPlugin, type VirtualPlugin } from '../../src/testing/virtual-plugin.ts'
import { createSocketDirectory, type SocketDirectory } from '../../src/testing/virtual-sockets.ts'
import { createVirtualKubelet, RESOURCE, type VirtualKubelet } from './virtual-kubelet.ts'

const STEP_MS = 100
/** A pod is replaced by its controller after this time at the earliest. */
const REPLACE_MS = 200
/** Share of the steps in which a running pod ends. */
const END_SHARE = 0.02

/** A node in virtual time: a kubelet, a controller that creates pods for every free device, and the plugin under test. */
export interface VirtualNode {
  readonly clock: TestClock
  readonly random: Random
  readonly kubelet: VirtualKubelet
  readonly directory: SocketDirectory
  /** Violations so far, one sentence each. */
  readonly problems: string[]
  /** Devices whose allocation the source refuses. */
  readonly refusing: Set<string>
  /** Reasons of refused pods, in order. */
  readonly refusals: readonly string[]
  readonly ids: readonly string[]
  setHealth(id: string, isHealthy: boolean): void
  startPlugin(): void
  /** Kills the plugin process. */
  killPlugin(): void
  /** Ends the plugin process as SIGTERM does. Resolves when it has ended. */
  stopPlugin(): Promise<void>
  /** Number of lists that the running plugin has sent. */
  lists(): Promise<number>
  /** Whether the controller creates pods. */
  createsPods: boolean
  /** Whether running pods end by and by. */
  endsPods: boolean
  /** Lets virtual time pass, while pods come and go, and checks the invariants. */
  run(ms: number): Promise<void>
  /** Waits until the kubelet counts every device with its health. Records a problem if that takes longer. */
  untilRight(what: string, withinMs: number): Promise<void>
  end(): Promise<void>
}

/** Creates a node with a kubelet that runs and a plugin that is started. */
export function createVirtualNode(seed: number): VirtualNode {
  const clock = createTestClock()
  const random = seededRandom(seed)
  const directory = createSocketDirectory()
  const isClassic = random() < 0.5
  const kubelet = createVirtualKubelet({ directory, isClassic, hasStreamRace: random() < 0.5, clock, random })
  const ids = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, i) => `seat-${i}`)
  const health = new Map<string, boolean>(ids.map((id) => [id, true]))
  /** When each unhealthy device became so. */
  const unhealthySinceMs = new Map<string, number>()
  const wakes = new Set<() => void>()
  const refusing = new Set<string>()
  const problems: string[] = []
  const refusals: string[] = []
  let nextPod = 0
  let lastPodMs = -Infinity
  let running: VirtualPlugin | undefined

  const inventory = (): readonly Device[] =>
    ids.map((id) =>
      health.get(id) === true ? { id, health: 'Healthy' } : { id, health: 'Unhealthy', reason: 'it is off' },
    )
  const source: DeviceSource = {
    async *discover(signal) {
      while (!signal.aborted) {
        yield inventory()
        await new Promise<void>((resolve) => {
          wakes.add(resolve)
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
    allocate(wanted) {
      const refused = wanted.find((id) => refusing.has(id))
      if (refused !== undefined) throw new Error(`${refused} does not answer`)
      return { env: { SEATS: wanted.join('+') } }
    },
  }

  const note = (problem: string): void => {
    if (!problems.includes(problem)) problems.push(problem)
  }

  function checkPods(): void {
    const holders = new Map<string, string>()
    for (const { uid, ids: own, state } of kubelet.pods()) {
      if (state !== 'running') continue
      for (const id of own) {
        // The device itself, whatever the plugin calls it.
        const device = ids.find((each) => id.startsWith(each)) ?? id
        const other = holders.get(device)
        if (other !== undefined) note(`I1: ${other} and ${uid} hold ${device}`)
        holders.set(device, uid)
      }
      if (kubelet.counts() === undefined) continue
      const recorded = kubelet.recorded(uid)
      if (recorded.join() !== own.join()) note(`${uid} holds ${own.join()}, and the kubelet records ${recorded.join()}`)
    }
  }

  function createPod(): void {
    lastPodMs = clock.monotonic()
    const uid = `pod-${nextPod++}`
    const pod = { uid, state: 'pending' as const, ids: [] }
    kubelet.admit(pod, (reason) => void refusals.push(reason))
  }

  function step(): void {
    if (node.createsPods && kubelet.free() > 0 && clock.monotonic() - lastPodMs >= REPLACE_MS) createPod()
    const ended = kubelet.pods().filter(({ state }) => node.endsPods && state === 'running' && random() < END_SHARE)
    for (const { uid } of ended) kubelet.remove(uid)
    checkPods()
  }

  /** Pods that were admitted since the last step got healthy devices. */
  const known = new Set<string>()
  function checkGrants(): void {
    for (const { uid, ids: own, state } of kubelet.pods()) {
      if (state !== 'running' || known.has(uid)) continue
      known.add(uid)
      for (const id of own) {
        const sinceMs = unhealthySinceMs.get(id)
        // The list and the admission take up to a second.
        if (sinceMs !== undefined && clock.monotonic() - sinceMs > 1_500) note(`${uid} got ${id}, which was unhealthy`)
      }
    }
  }

  const expected = (): string => `${ids.length}/${[...health.values()].filter(Boolean).length}`

  const node: VirtualNode = {
    clock,
    random,
    kubelet,
    directory,
    problems,
    refusing,
    refusals,
    ids,
    createsPods: true,
    endsPods: true,
    setHealth(id, isHealthy) {
      health.set(id, isHealthy)
      if (isHealthy) unhealthySinceMs.delete(id)
      else if (!unhealthySinceMs.has(id)) unhealthySinceMs.set(id, clock.monotonic())
      for (const wake of wakes) wake()
      wakes.clear()
    },
    startPlugin() {
      const register = (endpoint: string): Promise<void> => kubelet.register(endpoint)
      const resource = { resourceName: RESOURCE, source }
      running = startVirtualPlugin({ ...resource, directory, isClassic, register, clock, random })
    },
    killPlugin() {
      running?.process.kill()
      running = undefined
    },
    async stopPlugin() {
      const stopped = running
      running = undefined
      const state = { hasEnded: false }
      void stopped?.plugin[Symbol.asyncDispose]().then(() => (state.hasEnded = true))
      for (let i = 0; i < 40 && !state.hasEnded; i++) await node.run(STEP_MS)
      if (!state.hasEnded) note('the plugin does not end within 4 s of SIGTERM')
      stopped?.process.kill()
    },
    lists: async () => (await running?.lists()) ?? 0,
    async run(ms) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        step()
        await clock.run(Math.min(STEP_MS, ms - passed))
        checkGrants()
      }
    },
    async untilRight(what, withinMs) {
      for (let waited = 0; kubelet.counts() !== expected(); waited += STEP_MS) {
        if (waited > withinMs) {
          note(`${what}: after ${withinMs} ms the node shows ${kubelet.counts()}, expected ${expected()}`)
          return
        }
        await node.run(STEP_MS)
      }
    },
    async end() {
      node.createsPods = false
      running?.process.kill()
      kubelet.stop()
      await clock.run(0)
    },
  }
  kubelet.start()
  node.startPlugin()
  return node
}
