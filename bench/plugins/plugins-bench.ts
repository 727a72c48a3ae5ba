import { join } from 'node:path'
import { systemClock } from '@berth/clock'
import { createFramework, decide, type Framework } from '@berth/fit-engine'
import type { DeviceSource, PluginRegistry, ResourceSource } from '@berth/plugin-api'
import type { RunResourceSourceOptions, RunSchedulingPluginOptions } from '@berth/plugin-api/testing'
import { costCase, NO_PLUGIN } from '@berth/tools/plugin-catalogue/plugin-costs'
import { readPluginPackages, registryOf } from '@berth/tools/plugin-catalogue/plugin-packages'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { input } from '../fit/profiles.ts'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { summarize } from '../statistics.ts'
import { timeCases, type TimedCase } from '../time-cases.ts'
import { repeatedNodes, sampleState } from './sample-cluster.ts'

const NODES = 5000
const root = join(import.meta.dirname, '../..')
const env = { log: silentLogger, clock: systemClock(), random: Math.random, resourceName: 'example.com/resource' }
const barePod: Pod = { metadata: { name: 'bare', namespace: 'default', uid: 'bare' }, spec: { containers: [] } }
/** Decides like the scheduler: reasons only if the pod fits nowhere, scores only if there is a choice. */
const asScheduler = { ...input, random: Math.random, rejections: 'when-none-fits', score: 'when-several' } as const

/** Returns decisions about the pods of a sample, in turns, over its nodes. */
function decisionCase(name: string, framework: Framework, sample: RunSchedulingPluginOptions): TimedCase {
  const state = sampleState(sample.nodes, NODES)
  const pods = [...(sample.pods ?? []), barePod]
  for (const pod of pods) {
    const { error, feasible, message } = decide(framework, state, pod, asScheduler)
    assertCorrect(error === undefined, `${name}: ${error?.message}`)
    const isWhole = feasible.length > 0 || message.startsWith(`0/${NODES} nodes are available`)
    assertCorrect(isWhole, `${name}: no decision over ${NODES} nodes: ${message}`)
  }
  const decideAll = (): void => {
    for (const pod of pods) decide(framework, state, pod, asScheduler)
  }
  return { name, call: decideAll, operationsPerCall: pods.length }
}

function frameworkWith(registry: PluginRegistry, name: string, args: unknown): Framework {
  const hooks = registry.createScheduling(name, args, env)
  return createFramework({ plugins: [{ plugin: { name, isContributed: true, ...hooks }, weight: 1 }] })
}

/** Computes the amount of each node, one after the other. */
async function computeAll(source: ResourceSource, nodes: readonly Node[]): Promise<void> {
  const { signal } = new AbortController()
  for (const node of nodes) await source.compute(node, signal)
}

/** Discovers the first inventory of a node and allocates its first device. */
async function discoverAndAllocate(source: DeviceSource): Promise<void> {
  const stop = new AbortController()
  for await (const devices of source.discover(stop.signal)) {
    const [first] = devices
    assertCorrect(first !== undefined, 'the sample of a device source has a device')
    await source.allocate([first.id], devices)
    break
  }
  stop.abort()
}

/** Times a function that waits. Returns the samples in microseconds per call. */
async function timeAsync(call: () => Promise<void>, { isQuick }: BenchOptions): Promise<readonly number[]> {
  const samples: number[] = []
  for (let round = isQuick ? -1 : -20; round < (isQuick ? 7 : 101); round++) {
    const startNs = process.hrtime.bigint()
    await call()
    if (round >= 0) samples.push(Number(process.hrtime.bigint() - startNs) / 1000)
  }
  return samples
}

async function run(options: BenchOptions): Promise<readonly Measurement[]> {
  const packages = await readPluginPackages(root)
  const registry = await registryOf(packages)
  const samples = Object.assign({}, ...packages.map((found) => found.samples)) as Readonly<
    Record<string, RunSchedulingPluginOptions & RunResourceSourceOptions>
  >
  const scheduling = registry.list('scheduling').map(({ kind, name }) => {
    const sample = samples[name] ?? {}
    return decisionCase(costCase({ kind, name }), frameworkWith(registry, name, sample.args), sample)
  })
  const none = decisionCase(NO_PLUGIN, createFramework({ plugins: [] }), {})
  const times = new Map(timeCases([none, ...scheduling], options))
  for (const { kind, name } of registry.list('resource-source')) {
    const { args, nodes } = samples[name] ?? {}
    const source = registry.createResourceSource(name, args, env)
    const repeated = repeatedNodes(nodes, NODES)
    times.set(costCase({ kind, name }), await timeAsync(() => computeAll(source, repeated), options))
  }
  for (const { kind, name } of registry.list('device-source')) {
    const source = registry.createDeviceSource(name, samples[name]?.args, env)
    times.set(costCase({ kind, name }), await timeAsync(() => discoverAndAllocate(source), options))
  }
  return Array.from(times, ([name, all]) => ({ bench: 'plugins', case: name, unit: 'us', ...summarize(all) }))
}

/** Measures each plugin of this repository. */
export const pluginsBench: Bench = {
  name: 'plugins',
  summary: 'each plugin of this repository, over 5,000 nodes',
  run,
}
