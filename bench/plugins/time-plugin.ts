/** Times one plugin, in a process of its own. Usage: time-plugin.ts CASE full|quick */
import { join } from 'node:path'
import { systemClock } from '@berth/clock'
import { createFramework, decide, type Framework } from '@berth/fit-engine'
import type { DeviceSource, PluginRegistry, ResourceSource } from '@berth/plugin-api'
import type { RunResourceSourceOptions, RunSchedulingPluginOptions } from '@berth/plugin-api/testing'
import { costCase, NO_PLUGIN } from '@berth/tools/plugin-catalogue/plugin-costs'
import { readPluginPackages, registryOf } from '@berth/tools/plugin-catalogue/plugin-packages'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { input } from '../fit/profiles.ts'
import { assertCorrect, type BenchOptions } from '../measurement.ts'
import { timeCases } from '../time-cases.ts'
import { repeatedNodes, sampleState } from './sample-cluster.ts'

const NODES = 5000
const root = join(import.meta.dirname, '../..')
const env = { log: silentLogger, clock: systemClock(), random: Math.random, resourceName: 'example.com/resource' }
const barePod: Pod = { metadata: { name: 'bare', namespace: 'default', uid: 'bare' }, spec: { containers: [] } }
/** Decides like the scheduler: reasons only if the pod fits nowhere, scores only if there is a choice. */
const asScheduler = { ...input, random: Math.random, rejections: 'when-none-fits', score: 'when-several' } as const

/** Times decisions about the pods of a sample over its nodes. */
function timeDecisions(
  name: string,
  framework: Framework,
  sample: RunSchedulingPluginOptions,
  options: BenchOptions,
): readonly number[] {
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
  return timeCases([{ name, call: decideAll, operationsPerCall: pods.length }], options).get(name) ?? []
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

/** After this time, a slow function has enough samples: one that starts 5,000 programs takes seconds. */
const ENOUGH_MS = 20_000
const MIN_SAMPLES = 3

/** Times a function that waits. Returns the samples in microseconds per call. */
async function timeAsync(call: () => Promise<void>, { isQuick }: BenchOptions): Promise<readonly number[]> {
  const samples: number[] = []
  const endMs = performance.now() + ENOUGH_MS
  for (let round = isQuick ? -1 : -20; round < (isQuick ? 7 : 101); round++) {
    if (performance.now() > endMs) {
      if (samples.length >= MIN_SAMPLES) break
      round = Math.max(round, 0)
    }
    const startNs = process.hrtime.bigint()
    await call()
    if (round >= 0) samples.push(Number(process.hrtime.bigint() - startNs) / 1000)
  }
  return samples
}

/** Returns the samples of one plugin, in microseconds per operation. */
async function timePlugin(name: string, options: BenchOptions): Promise<readonly number[]> {
  if (name === NO_PLUGIN) return timeDecisions(name, createFramework({ plugins: [] }), {}, options)
  const packages = await readPluginPackages(root)
  const registry = await registryOf(packages)
  const plugin = registry.list().find((listing) => costCase(listing) === name)
  assertCorrect(plugin !== undefined, `there is a plugin ${name}`)
  const samples = packages.find((found) => Object.hasOwn(found.samples, plugin.name))?.samples ?? {}
  const sample = (samples[plugin.name] ?? {}) as RunSchedulingPluginOptions & RunResourceSourceOptions
  switch (plugin.kind) {
    case 'scheduling':
      return timeDecisions(name, frameworkWith(registry, plugin.name, sample.args), sample, options)
    case 'resource-source': {
      const source = registry.createResourceSource(plugin.name, sample.args, { ...env, origins: sample.origins ?? [] })
      const nodes = repeatedNodes(sample.nodes, NODES)
      return await timeAsync(() => computeAll(source, nodes), options)
    }
    case 'device-source': {
      const source = registry.createDeviceSource(plugin.name, sample.args, env)
      return await timeAsync(() => discoverAndAllocate(source), options)
    }
  }
}

const [name = '', length] = process.argv.slice(2)
console.log(JSON.stringify(await timePlugin(name, { isQuick: length === 'quick', progress: () => undefined })))
