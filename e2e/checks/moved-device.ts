import { availableParallelism, loadavg } from 'node:os'
import { observeDuring } from '../cluster/observe-during.ts'
import { expectThat, printingPod, type TestCluster } from '../cluster/test-cluster.ts'
import { NAMESPACE } from '../cluster/release.ts'
import type { Check } from './check.ts'
import { onNode, pluginPod } from './kubelet.ts'

const SERIAL = 'example.com/serial'
const FOLDER = '/dev/berth-e2e'
/** Device numbers of /dev/null and /dev/zero, as `stat` in a container reports them. */
const [NULL, ZERO] = ['259', '261']

/** Returns the chart values for a device behind a link that udev would create. */
export function serialValues(node: string): unknown {
  const args = { paths: [`${FOLDER}/by-id/*`], containerPath: '/dev/serial/{name}', rescanSeconds: 1 }
  return {
    devicePlugin: {
      config: { resources: [{ name: SERIAL, source: 'path-glob', args }] },
      hostPaths: [FOLDER],
      nodeSelector: { 'kubernetes.io/hostname': node },
    },
  }
}

/** Creates a device node with the numbers of /dev/null and a link to it. */
export async function createSerialDevice(node: string): Promise<void> {
  const link = `ln -sfn ../ttyUSB0 ${FOLDER}/by-id/usb-A`
  await onNode(node, `mkdir -p ${FOLDER}/by-id; mknod ${FOLDER}/ttyUSB0 c 1 3; ${link}; chmod -R a+rX ${FOLDER}`)
}

/** Removes the device node and the link. */
export async function removeSerialDevice(node: string): Promise<void> {
  await onNode(node, `rm -rf ${FOLDER}`)
}

/** Another device takes the number, as after a reconnection in another order. */
const moveDevice = `mv ${FOLDER}/ttyUSB0 ${FOLDER}/ttyUSB1; mknod ${FOLDER}/ttyUSB0 c 1 5; ln -sfn ../ttyUSB1 ${FOLDER}/by-id/usb-A`

/** Checks of the device plugin during the life of a release. */
export const movedDeviceCheck: Check = {
  name: 'a restarted container finds its device after the device got another number',
  component: 'devicePlugin',
  failureText: `units of ${SERIAL} on`,
  async run(testCluster) {
    const node = testCluster.workers[0] ?? ''
    await testCluster.untilUnits(node, SERIAL, '1/1')
    const name = testCluster.uniqueName('serial-user')
    const text = `'${name} ' + require('node:fs').statSync('/dev/serial/usb-A').rdev`
    await testCluster.createPod(printingPod(name, { [SERIAL]: '1' }, text))
    await testCluster.untilRunning(name)
    const untilPrinted = (what: string, restarts: number): Promise<string> =>
      testCluster.until(what, async () => {
        const jsonpath = '{.status.containerStatuses[0].restartCount}'
        if ((await testCluster.kubectl('get', 'pod', name, '-o', `jsonpath=${jsonpath}`)) !== String(restarts)) return
        return new RegExp(`^${name} (\\d+)$`, 'm').exec(await testCluster.kubectl('logs', name))?.[1]
      })
    const before = await untilPrinted('the device in the container', 0)
    expectThat(before === NULL, `the container has device ${before}, expected ${NULL}`)
    await onNode(node, moveDevice)
    await onNode(node, `kill -KILL $(pgrep -f "^node --eval .*${name}")`)
    const after = await untilPrinted('the device in the restarted container', 1)
    expectThat(after !== ZERO, 'the restarted container has the device that took the number')
    expectThat(after === NULL, `the restarted container has device ${after}, expected ${NULL}`)
  },
}

/**
 * Returns the longest allowed time between the stream of the old plugin and that of the new one. Most of it is the start of
 * the pod, which takes longer while processes wait for the cores of this machine.
 */
const maxGapMs = (): number => ((loadavg()[0] ?? 0) / availableParallelism() > MAX_LOAD_PER_CORE ? 6_000 : 3_000)
const MAX_LOAD_PER_CORE = 2
/** The kubelet writes the status of its node at least this often while it changes, with jitter. */
const STATUS_SYNC_MS = 10_400
/** A change of the node is seen this much later. */
const LOOK_MS = 500

/** Returns the time of a line of the plugin's JSON log, in milliseconds. */
function timeOf(log: string, message: string): number {
  const lines = log.split('\n').filter((line) => line.includes(`"msg":"${message}"`))
  const { time } = JSON.parse(lines.at(-1) ?? '{}') as { readonly time?: string }
  return Date.parse(time ?? '')
}

/** A busy machine may delay the start of the pod; the plugin's own part is the same in each upgrade. */
const MAX_UPGRADES = 3

/**
 * Returns a check that upgrades keep the device in capacity and in its pod. At most one status of the node may show no
 * allocatable device. In one of the upgrades, the kubelet must have a stream again within three seconds.
 */
export function upgradeCheck(upgrade: (number: number) => Promise<unknown>): Check['run'] {
  return async (testCluster) => {
    const node = testCluster.workers[0] ?? ''
    await testCluster.untilUnits(node, SERIAL, '1/1')
    const name = testCluster.uniqueName('holder')
    await testCluster.createPod(printingPod(name, { [SERIAL]: '1' }, `'running'`))
    const { metadata } = await testCluster.untilRunning(name)
    const gapsMs: number[] = []
    const isShort = (): boolean => (gapsMs.at(-1) ?? Infinity) <= maxGapMs()
    while (!isShort() && gapsMs.length < MAX_UPGRADES) {
      gapsMs.push(await upgradeOnce(testCluster, () => upgrade(gapsMs.length)))
    }
    expectThat(isShort(), `the kubelet had no stream for ${gapsMs.join(', ')} ms`)
    const now = await testCluster.untilRunning(name)
    const [status] = now.status?.containerStatuses ?? []
    expectThat(now.metadata.uid === metadata.uid && status?.restartCount === 0, 'the pod was replaced or restarted')
  }
}

/** Upgrades and checks what the node shows meanwhile. Returns how long the kubelet had no stream, milliseconds. */
async function upgradeOnce(testCluster: TestCluster, upgrade: () => Promise<unknown>): Promise<number> {
  const node = testCluster.workers[0] ?? ''
  const old = await pluginPod(testCluster)
  const logsOf = (pod: string, ...flags: readonly string[]): Promise<string> =>
    testCluster.kubectl('--namespace', NAMESPACE, 'logs', pod, '--container', 'device-plugin', ...flags)
  // Ends with the pod.
  const oldLog = logsOf(old.name, '--follow')
  let zeroSinceMs: number | undefined
  let longestZeroMs = 0
  const look = async (): Promise<string> => {
    const units = await testCluster.units(node, SERIAL)
    if (!units.endsWith('/0')) zeroSinceMs = undefined
    else longestZeroMs = Math.max(longestZeroMs, performance.now() - (zeroSinceMs ??= performance.now()))
    return units
  }
  const upgraded = upgrade().then(() => testCluster.untilUnits(node, SERIAL, '1/1'))
  const seen = await observeDuring(upgraded, look)
  const next = await pluginPod(testCluster)
  expectThat(next.name !== old.name, 'the upgrade did not replace the plugin')
  const gapMs = timeOf(await logsOf(next.name), 'Kubelet opened the device stream') - timeOf(await oldLog, 'Stopping')
  const shown = `the node showed ${seen.join(', ')}, for ${longestZeroMs.toFixed(0)} ms without an allocatable device`
  console.log(`during the upgrade, ${shown}; no stream for ${gapMs} ms`)
  expectThat(
    seen.every((units) => units.startsWith('1/')),
    shown,
  )
  expectThat(longestZeroMs <= STATUS_SYNC_MS + LOOK_MS, shown)
  expectThat(gapMs >= 0, 'the logs of the plugins do not say when the streams ended and began')
  return gapMs
}

/** Returns a check that the node shows 0 when an uninstall ends. */
export function uninstallCheck(
  uninstall: () => Promise<{ readonly status: number; readonly stderr: string }>,
): Check['run'] {
  return async (testCluster) => {
    const node = testCluster.workers[0] ?? ''
    await testCluster.untilUnits(node, SERIAL, '1/1')
    const { status, stderr } = await uninstall()
    expectThat(status === 0, `the uninstall failed: ${stderr}`)
    const units = await testCluster.units(node, SERIAL)
    expectThat(units === '0/0', `after the uninstall, the node shows ${units}`)
  }
}
