import { builtInDeviceSources } from '@berth/built-in-plugins/device-sources'
import { systemClock } from '@berth/clock'
import { createPluginRegistry, type DeviceSource } from '@berth/plugin-api'
import { silentLogger, type Device } from '@berth/types'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { discoverOnce } from '../../src/discover.ts'
import { offerDevices } from '../../src/offer/offer-devices.ts'
import { countSource } from '../../src/sources/count/count.ts'
import { deviceId } from '@berth/device-discovery'
import { unpackedTree } from '@berth/device-discovery/testing'
import { pathGlobSource } from '../../src/sources/path-glob/path-glob.ts'
import { startTestNode } from '../test-node.ts'

interface RecordedResource {
  readonly name: string
  readonly source: string
  readonly args: unknown
  readonly ids: readonly string[]
}

/** Results of `discover -o json` and `deviceId` of an earlier commit. Rows are only ever added. */
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'previous-ids.json'), 'utf8')) as {
  readonly commit: string
  readonly resources: readonly RecordedResource[]
  /** Rows of the sources in plugins/, on the fixtures of their packages. Recorded when they were added. */
  readonly shippedSources: readonly {
    readonly source: string
    readonly tree?: string
    readonly args: object
    readonly replicas?: number
    readonly ids: readonly string[]
  }[]
  readonly paths: readonly { readonly path: string; readonly slot?: number; readonly id: string }[]
}

const clock = systemClock()
const sources = createPluginRegistry([countSource, pathGlobSource].map((plugin) => ({ plugin, origin: 'here' })))
const sourceOf = ({ name, source, args }: RecordedResource): DeviceSource =>
  sources.createDeviceSource(source, args, { log: silentLogger, clock, random: Math.random, resourceName: name })

const shipped = createPluginRegistry(builtInDeviceSources.map((plugin) => ({ plugin, origin: 'built in' })))
const plugins = join(import.meta.dirname, '../../../../plugins')

/** The source of the earlier version: it offers the recorded ids. */
const earlierSource = ({ ids }: RecordedResource): DeviceSource => ({
  async *discover(signal): AsyncIterable<readonly Device[]> {
    yield ids.map((id) => ({ id, health: 'Healthy' }))
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  },
  allocate: () => ({}),
})

describe(`device ids since ${recorded.commit.slice(0, 8)}`, () => {
  test('are those of the earlier version for every path and slot', () => {
    expect(recorded.paths.map(({ path, slot }) => [path, slot, deviceId(path, slot)])).toEqual(
      recorded.paths.map(({ path, slot, id }) => [path, slot, id]),
    )
  })

  test.for(recorded.resources)('$name has the ids of the earlier version', async (resource) => {
    const { devices } = await discoverOnce(resource.name, sourceOf(resource), clock)
    expect(devices.map(({ id }) => id)).toEqual(resource.ids)
  })

  test.for(recorded.shippedSources)('$source $args with $replicas replicas has the recorded ids', async (row) => {
    const { source, tree, args, replicas = 1, ids } = row
    const hostRoot = tree === undefined ? {} : { hostRoot: unpackedTree(join(plugins, tree)) }
    const env = { log: silentLogger, clock, random: Math.random, resourceName: 'example.com/device' }
    const created = shipped.createDeviceSource(source, { ...args, ...hostRoot }, env)
    const { devices } = await discoverOnce(
      'example.com/device',
      offerDevices(created, { exclude: [], replicas }).source,
      clock,
    )
    expect(devices.map(({ id }) => id)).toEqual(ids)
  })

  test('every source that the device plugin ships has recorded ids', () => {
    expect(new Set(recorded.shippedSources.map(({ source }) => source))).toEqual(
      new Set(builtInDeviceSources.map(({ name }) => name)),
    )
  })

  test.for(recorded.resources.filter(({ ids }) => ids.length > 1))(
    'an upgrade offers no device of $name that a running pod holds',
    async (resource) => {
      await using testNode = await startTestNode()
      const all = resource.ids.length
      const held = Math.floor(all / 2)
      const earlier = testNode.startPlugin('watcher', { source: earlierSource(resource) })
      await testNode.waitForCounts(`${all}/${all}`)
      const holder = await testNode.runPod('holder', held)
      await earlier[Symbol.asyncDispose]()
      await testNode.waitForCounts(`${all}/0`)

      testNode.startPlugin('watcher', { source: sourceOf(resource) })
      await testNode.waitForCounts(`${all}/${all}`)
      expect((await testNode.pod('holder')).status?.phase).toBe('Running')
      const other = await testNode.runPod('other', all - held)
      expect(other.status?.phase).toBe('Running')
      const idsOf = (pod: typeof holder): readonly string[] =>
        [...testNode.kubelet.runOptions(pod, 'main').env]
          .filter(([name]) => name.startsWith('BERTH_DEVICES_'))
          .flatMap(([, ids]) => ids.split(','))
      expect([...idsOf(holder), ...idsOf(other)].sort()).toEqual([...resource.ids].sort())
      expect((await testNode.runPod('third', 1)).status?.phase).toBe('Failed')
    },
  )
})
