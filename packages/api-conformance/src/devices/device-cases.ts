import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, Transcript } from '../runner/conformance-case.ts'
import { RESOURCE, startDeviceSession, type DeviceSite, type DeviceSession } from './device-session.ts'
import type { ScriptedPlugin, ScriptedPluginOptions } from './scripted-plugin.ts'

const HAND_MADE = 'exchanges.berth.dev/hand-made'
const FIVE_MINUTES_MS = 5 * 60_000

const isRunning = (pod: Json): boolean => pod.status?.phase === 'Running'
const hasFailed = (pod: Json): boolean => pod.status?.phase === 'Failed'
const healths = (pod: Json): readonly string[] =>
  (pod.status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]?.resources ?? []).map(({ health }: Json) => health)

/** Starts a plugin, registers it the classic way, and waits until the node reports its four devices. */
async function registeredPlugin(
  session: DeviceSession,
  options: Partial<ScriptedPluginOptions> = {},
): Promise<ScriptedPlugin> {
  const plugin = await session.startPlugin('classic', options)
  await session.register(plugin.socketName)
  await session.untilCounts('4/4')
  session.note('plugin heard', plugin.takeCalls())
  return plugin
}

const DEVICE_CASES: Readonly<Record<string, (session: DeviceSession) => Promise<void>>> = {
  'registers-the-classic-way': async (session) => {
    await registeredPlugin(session)
  },
  'registers-through-the-watcher': async (session) => {
    const plugin = await session.startPlugin('watcher')
    await session.untilCounts('4/4')
    session.note(
      'plugin heard',
      plugin.takeCalls().toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    )
  },
  'socket-of-the-watcher-vanishes': async (session) => {
    const plugin = await session.startPlugin('watcher')
    await session.untilCounts('4/4')
    rmSync(join(session.site.pluginsRegistry, plugin.socketName))
    await session.untilCounts('4/0')
    await session.until('stream ended', () => plugin.streams === 0)
  },
  'registration-is-refused': async (session) => {
    await session.register('none.sock', { version: 'v1alpha' })
    await session.register('none.sock', { resourceName: 'no-domain' })
    await session.register('none.sock', { resourceName: 'kubernetes.io/mine' })
  },
  'device-becomes-unhealthy-and-well': async (session) => {
    const plugin = await registeredPlugin(session)
    plugin.setDevices(['d0', '!d1', 'd2', 'd3'])
    await session.untilCounts('4/3')
    session.note('allocatable', await session.allocatable())
    plugin.setDevices(['d0', 'd1', 'd2', 'd3'])
    await session.untilCounts('4/4')
  },
  'devices-come-and-go': async (session) => {
    const plugin = await registeredPlugin(session)
    plugin.setDevices(['d0'])
    await session.untilCounts('1/1')
    plugin.setDevices([])
    await session.untilCounts('0/0')
    plugin.setDevices(['d0', 'd1', 'd9'])
    await session.untilCounts('3/3')
  },
  'stream-ends': async (session) => {
    const plugin = await registeredPlugin(session)
    plugin.endStreams()
    await session.untilCounts('4/0')
    session.note('plugin heard', plugin.takeCalls())
    await session.createPod({ name: 'late', limits: { [RESOURCE]: '1' } })
    await session.untilPod('late', hasFailed)
  },
  'pod-gets-devices': async (session) => {
    const plugin = await registeredPlugin(session)
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '2' } })
    await session.untilPod('asks', isRunning)
    session.note('plugin heard', plugin.takeCalls())
    const [container] = await session.resources('asks')
    session.note('held', { name: container?.name, ids: container?.devices.map((each: Json) => each.deviceIds.length) })
    await session.untilCounts('4/4')
  },
  'device-of-a-pod-becomes-unhealthy': async (session) => {
    const plugin = await registeredPlugin(session)
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '4' } })
    await session.untilPod('asks', isRunning)
    plugin.setDevices(['d0', '!d1', 'd2', 'd3'])
    await session.untilPod('asks', (pod) => healths(pod).includes('Unhealthy'))
    plugin.setDevices(['d0', 'd1', 'd2', 'd3'])
    await session.untilPod('asks', (pod) => !healths(pod).includes('Unhealthy'))
  },
  'more-than-there-is': async (session) => {
    await registeredPlugin(session)
    await session.createPod({ name: 'first', limits: { [RESOURCE]: '3' } })
    await session.untilPod('first', isRunning)
    await session.createPod({ name: 'second', limits: { [RESOURCE]: '2' } })
    await session.untilPod('second', hasFailed)
    await session.deletePod('first')
    await session.createPod({ name: 'third', limits: { [RESOURCE]: '4' } })
    await session.untilPod('third', isRunning)
  },
  'only-unhealthy-devices': async (session) => {
    const plugin = await registeredPlugin(session)
    plugin.setDevices(['!d0', '!d1'])
    await session.untilCounts('2/0')
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await session.untilPod('asks', hasFailed)
  },
  'plugin-refuses': async (session) => {
    const plugin = await registeredPlugin(session)
    plugin.failAllocate('the dongle is gone')
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await session.untilPod('asks', hasFailed)
    session.note('plugin heard', plugin.takeCalls())
  },
  'plugin-prefers': async (session) => {
    const plugin = await registeredPlugin(session, { prefers: ['d3', 'd1'] })
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '2' } })
    await session.untilPod('asks', isRunning)
    session.note('plugin heard', plugin.takeCalls())
    const [container] = await session.resources('asks')
    session.note('held', container?.devices.flatMap((each: Json) => each.deviceIds).toSorted())
  },
  'container-is-announced': async (session) => {
    const plugin = await registeredPlugin(session, { wantsPreStart: true })
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '2' } })
    await session.untilPod('asks', isRunning)
    session.note('plugin heard', plugin.takeCalls())
  },
  'devices-on-numa-nodes': async (session) => {
    await registeredPlugin(session, { numaNodes: [0, 1] })
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await session.untilPod('asks', isRunning)
    const [container] = await session.resources('asks')
    session.note(
      'topology',
      container?.devices
        .map((each: Json) => each.topology.nodes.map(({ ID }: Json) => Number(ID)))
        .toSorted((a: Json, b: Json) => a[0] - b[0]),
    )
  },
  'resource-without-a-plugin': async (session) => {
    await session.patchNode({ capacity: { [HAND_MADE]: '1' } })
    await session.untilCounts('1/1', HAND_MADE)
    await session.createPod({ name: 'first', limits: { [HAND_MADE]: '1' } })
    await session.untilPod('first', isRunning)
    await session.createPod({ name: 'second', limits: { [HAND_MADE]: '1' } })
    await session.untilPod('second', hasFailed)
    await session.deletePod('first')
    await session.patchNode({ capacity: { [HAND_MADE]: null }, allocatable: { [HAND_MADE]: null } })
    await session.untilCounts('-/-', HAND_MADE)
  },
  'kubelet-restarts-classic': async (session) => {
    const plugin = await registeredPlugin(session)
    await session.createPod({ name: 'asks', limits: { [RESOURCE]: '1' } })
    await session.untilPod('asks', isRunning)
    plugin.takeCalls()
    await session.site.restartKubelet()
    await session.until('stream ended', () => plugin.streams === 0)
    await session.untilCounts('0/0')
    const again = await session.startPlugin('classic')
    await session.register(again.socketName)
    await session.untilCounts('4/4')
    await session.untilPod('asks', isRunning)
    session.note(
      'held',
      (await session.resources('asks')).map(({ devices }) => devices.length),
    )
  },
  'kubelet-restarts-watcher': async (session) => {
    const plugin = await session.startPlugin('watcher')
    await session.untilCounts('4/4')
    plugin.takeCalls()
    await session.site.restartKubelet()
    await session.until('asked again', () => plugin.takeCalls().includes('GetInfo'))
    await session.untilCounts('4/4')
  },
  // The last case: it takes five minutes with a real kubelet, and restores the node.
  'plugin-stays-away': async (session) => {
    const plugin = await registeredPlugin(session)
    plugin.stop()
    await session.untilCounts('4/0')
    await session.site.pause(FIVE_MINUTES_MS + 1_000)
    await session.untilCounts('0/0')
    await session.patchNode({ capacity: { [RESOURCE]: null }, allocatable: { [RESOURCE]: null } })
    await session.untilCounts('-/-')
    await session.site.pause(15_000)
    await session.untilCounts('-/-')
  },
}

/** Ids of the device manager cases, in the order in which they run. */
export const deviceCaseIds: readonly string[] = Object.keys(DEVICE_CASES)

/** Runs one case in an existing namespace and returns its transcript. */
export async function runDeviceCase(site: DeviceSite, namespace: string, id: string): Promise<Transcript> {
  const run = DEVICE_CASES[id]
  if (run === undefined) throw new RangeError(`there is no device case ${id}`)
  const transcript: Json[] = []
  const { session, end } = startDeviceSession(site, namespace, transcript)
  try {
    await run(session)
  } finally {
    await end()
  }
  return transcript
}
