import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, Transcript } from '../exchange.ts'
import { RESOURCE, startDeviceTalk, type DeviceSite, type DeviceTalk } from './device-talk.ts'
import type { ToldPlugin, ToldPluginOptions } from './told-plugin.ts'

const HAND_MADE = 'exchanges.berth.dev/hand-made'
const FIVE_MINUTES_MS = 5 * 60_000

const runs = (pod: Json): boolean => pod.status?.phase === 'Running'
const failed = (pod: Json): boolean => pod.status?.phase === 'Failed'
const healths = (pod: Json): readonly string[] =>
  (pod.status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]?.resources ?? []).map(({ health }: Json) => health)

/** A plugin that has registered the classic way and whose four devices the node shows. */
async function classic(talk: DeviceTalk, options: Partial<ToldPluginOptions> = {}): Promise<ToldPlugin> {
  const plugin = await talk.plugin('classic', options)
  await talk.register(plugin.socketName)
  await talk.untilCounts('4/4')
  talk.note('plugin heard', plugin.heard())
  return plugin
}

const DEVICE_EXCHANGES: Readonly<Record<string, (talk: DeviceTalk) => Promise<void>>> = {
  'registers-the-classic-way': async (talk) => {
    await classic(talk)
  },
  'registers-through-the-watcher': async (talk) => {
    const plugin = await talk.plugin('watcher')
    await talk.untilCounts('4/4')
    talk.note(
      'plugin heard',
      plugin.heard().toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    )
  },
  'socket-of-the-watcher-vanishes': async (talk) => {
    const plugin = await talk.plugin('watcher')
    await talk.untilCounts('4/4')
    rmSync(join(talk.site.pluginsRegistry, plugin.socketName))
    await talk.untilCounts('4/0')
    await talk.until('stream ended', () => plugin.streams === 0)
  },
  'registration-is-refused': async (talk) => {
    await talk.register('none.sock', { version: 'v1alpha' })
    await talk.register('none.sock', { resourceName: 'no-domain' })
    await talk.register('none.sock', { resourceName: 'kubernetes.io/mine' })
  },
  'device-becomes-unhealthy-and-well': async (talk) => {
    const plugin = await classic(talk)
    plugin.list(['d0', '!d1', 'd2', 'd3'])
    await talk.untilCounts('4/3')
    talk.note('allocatable', await talk.allocatable())
    plugin.list(['d0', 'd1', 'd2', 'd3'])
    await talk.untilCounts('4/4')
  },
  'devices-come-and-go': async (talk) => {
    const plugin = await classic(talk)
    plugin.list(['d0'])
    await talk.untilCounts('1/1')
    plugin.list([])
    await talk.untilCounts('0/0')
    plugin.list(['d0', 'd1', 'd9'])
    await talk.untilCounts('3/3')
  },
  'stream-ends': async (talk) => {
    const plugin = await classic(talk)
    plugin.endStreams()
    await talk.untilCounts('4/0')
    talk.note('plugin heard', plugin.heard())
    await talk.pod({ name: 'late', limits: { [RESOURCE]: '1' } })
    await talk.untilPod('late', failed)
  },
  'pod-gets-devices': async (talk) => {
    const plugin = await classic(talk)
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '2' } })
    await talk.untilPod('asks', runs)
    talk.note('plugin heard', plugin.heard())
    const [container] = await talk.resources('asks')
    talk.note('held', { name: container?.name, ids: container?.devices.map((each: Json) => each.deviceIds.length) })
    await talk.untilCounts('4/4')
  },
  'device-of-a-pod-becomes-unhealthy': async (talk) => {
    const plugin = await classic(talk)
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '4' } })
    await talk.untilPod('asks', runs)
    plugin.list(['d0', '!d1', 'd2', 'd3'])
    await talk.untilPod('asks', (pod) => healths(pod).includes('Unhealthy'))
    plugin.list(['d0', 'd1', 'd2', 'd3'])
    await talk.untilPod('asks', (pod) => !healths(pod).includes('Unhealthy'))
  },
  'more-than-there-is': async (talk) => {
    await classic(talk)
    await talk.pod({ name: 'first', limits: { [RESOURCE]: '3' } })
    await talk.untilPod('first', runs)
    await talk.pod({ name: 'second', limits: { [RESOURCE]: '2' } })
    await talk.untilPod('second', failed)
    await talk.remove('first')
    await talk.pod({ name: 'third', limits: { [RESOURCE]: '4' } })
    await talk.untilPod('third', runs)
  },
  'only-unhealthy-devices': async (talk) => {
    const plugin = await classic(talk)
    plugin.list(['!d0', '!d1'])
    await talk.untilCounts('2/0')
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await talk.untilPod('asks', failed)
  },
  'plugin-refuses': async (talk) => {
    const plugin = await classic(talk)
    plugin.refuse('the dongle is gone')
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await talk.untilPod('asks', failed)
    talk.note('plugin heard', plugin.heard())
  },
  'plugin-prefers': async (talk) => {
    const plugin = await classic(talk, { prefers: ['d3', 'd1'] })
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '2' } })
    await talk.untilPod('asks', runs)
    talk.note('plugin heard', plugin.heard())
    const [container] = await talk.resources('asks')
    talk.note('held', container?.devices.flatMap((each: Json) => each.deviceIds).toSorted())
  },
  'container-is-announced': async (talk) => {
    const plugin = await classic(talk, { wantsPreStart: true })
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '2' } })
    await talk.untilPod('asks', runs)
    talk.note('plugin heard', plugin.heard())
  },
  'devices-on-numa-nodes': async (talk) => {
    await classic(talk, { numaNodes: [0, 1] })
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await talk.untilPod('asks', runs)
    const [container] = await talk.resources('asks')
    talk.note(
      'topology',
      container?.devices
        .map((each: Json) => each.topology.nodes.map(({ ID }: Json) => Number(ID)))
        .toSorted((a: Json, b: Json) => a[0] - b[0]),
    )
  },
  'resource-without-a-plugin': async (talk) => {
    await talk.patchNode({ capacity: { [HAND_MADE]: '1' } })
    await talk.untilCounts('1/1', HAND_MADE)
    await talk.pod({ name: 'first', limits: { [HAND_MADE]: '1' } })
    await talk.untilPod('first', runs)
    await talk.pod({ name: 'second', limits: { [HAND_MADE]: '1' } })
    await talk.untilPod('second', failed)
    await talk.remove('first')
    await talk.patchNode({ capacity: { [HAND_MADE]: null }, allocatable: { [HAND_MADE]: null } })
    await talk.untilCounts('-/-', HAND_MADE)
  },
  'kubelet-restarts-classic': async (talk) => {
    const plugin = await classic(talk)
    await talk.pod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await talk.untilPod('asks', runs)
    plugin.heard()
    await talk.site.restartKubelet()
    await talk.until('stream ended', () => plugin.streams === 0)
    await talk.untilCounts('0/0')
    const again = await talk.plugin('classic')
    await talk.register(again.socketName)
    await talk.untilCounts('4/4')
    await talk.untilPod('asks', runs)
    talk.note(
      'held',
      (await talk.resources('asks')).map(({ devices }) => devices.length),
    )
  },
  'kubelet-restarts-watcher': async (talk) => {
    const plugin = await talk.plugin('watcher')
    await talk.untilCounts('4/4')
    plugin.heard()
    await talk.site.restartKubelet()
    await talk.until('asked again', () => plugin.heard().includes('GetInfo'))
    await talk.untilCounts('4/4')
  },
  // The last one: it takes five minutes of a real kubelet's time, and leaves the node as it was.
  'plugin-stays-away': async (talk) => {
    const plugin = await classic(talk)
    plugin.stop()
    await talk.untilCounts('4/0')
    await talk.site.pause(FIVE_MINUTES_MS + 1_000)
    await talk.untilCounts('0/0')
    await talk.patchNode({ capacity: { [RESOURCE]: null }, allocatable: { [RESOURCE]: null } })
    await talk.untilCounts('-/-')
    await talk.site.pause(15_000)
    await talk.untilCounts('-/-')
  },
}

/** Names of the exchanges with a kubelet's device manager, in their order. */
export const deviceExchangeIds: readonly string[] = Object.keys(DEVICE_EXCHANGES)

/** Plays one of them in a namespace that is there, and answers what was noted. */
export async function playDeviceExchange(site: DeviceSite, namespace: string, id: string): Promise<Transcript> {
  const run = DEVICE_EXCHANGES[id]
  if (run === undefined) throw new RangeError(`there is no device exchange ${id}`)
  const transcript: Json[] = []
  const { talk, end } = startDeviceTalk(site, namespace, transcript)
  try {
    await run(talk)
  } finally {
    await end()
  }
  return transcript
}
