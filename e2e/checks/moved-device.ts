import { MAX_ZERO_MS, observeUnits } from '../cluster/observe-units.ts'
import { expectThat, printingPod, type TestCluster } from '../cluster/test-cluster.ts'
import { NAMESPACE } from '../cluster/release.ts'
import type { Check } from './check.ts'
import { onNode, pluginPod, pluginPods } from './kubelet.ts'

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

/** Longest time between the stream of the old plugin and that of the new one. */
const MAX_GAP_MS = 3_000

/** Returns the time of a line of the plugin's JSON log, in milliseconds. */
function timeOf(log: string, message: string): number {
  const lines = log.split('\n').filter((line) => line.includes(`"msg":"${message}"`))
  const { time } = JSON.parse(lines.at(-1) ?? '{}') as { readonly time?: string }
  return Date.parse(time ?? '')
}

/**
 * Returns a check that upgrades keep the device in capacity and in its pod. At most one status of the node may show no
 * allocatable device, and the kubelet must have a stream again within three seconds, each time.
 */
export function upgradeCheck(upgrade: (number: number) => Promise<unknown>): Check['run'] {
  return async (testCluster) => {
    const node = testCluster.workers[0] ?? ''
    await testCluster.untilUnits(node, SERIAL, '1/1')
    const name = testCluster.uniqueName('holder')
    await testCluster.createPod(printingPod(name, { [SERIAL]: '1' }, `'running'`))
    const { metadata } = await testCluster.untilRunning(name)
    for (let number = 0; number < UPGRADES; number++) await upgradeOnce(testCluster, () => upgrade(number))
    const now = await testCluster.untilRunning(name)
    const [status] = now.status?.containerStatuses ?? []
    expectThat(now.metadata.uid === metadata.uid && status?.restartCount === 0, 'the pod was replaced or restarted')
  }
}
const UPGRADES = 2

/** Upgrades, and checks what the node shows meanwhile and how long the kubelet has no stream. */
async function upgradeOnce(testCluster: TestCluster, upgrade: () => Promise<unknown>): Promise<void> {
  const node = testCluster.workers[0] ?? ''
  const old = await pluginPod(testCluster)
  const logsOf = (pod: string, ...flags: readonly string[]): Promise<string> =>
    testCluster.kubectl('--namespace', NAMESPACE, 'logs', pod, '--container', 'device-plugin', ...flags)
  // Ends with the pod.
  const oldLog = logsOf(old.name, '--follow')
  const replaced = async (): Promise<string> => {
    await upgrade()
    // The new pod is ready before the old one ends.
    const next = await testCluster.until('the old plugin to be gone', async () => {
      const pods = await pluginPods(testCluster)
      return pods.some(({ name }) => name === old.name) ? undefined : pods[0]?.name
    })
    await testCluster.until('the stream of the new plugin', async () =>
      (await logsOf(next)).includes(OPENED) ? true : undefined,
    )
    await testCluster.untilUnits(node, SERIAL, '1/1')
    return next
  }
  const replacement = replaced()
  const [serial] = await observeUnits(testCluster.client, [{ node, resource: SERIAL }], replacement)
  const { seen = [], longestZeroMs = 0 } = serial ?? {}
  const gapMs = timeOf(await logsOf(await replacement), OPENED) - timeOf(await oldLog, 'Stopping')
  const shown = `the node showed ${seen.join(', ')}, for ${longestZeroMs.toFixed(0)} ms without an allocatable device`
  console.log(`during the upgrade, ${shown}; no stream for ${gapMs} ms`)
  expectThat(
    seen.every((units) => units.startsWith('1/')),
    shown,
  )
  expectThat(longestZeroMs <= MAX_ZERO_MS, shown)
  expectThat(gapMs >= 0, 'the logs of the plugins do not say when the streams ended and began')
  expectThat(gapMs <= MAX_GAP_MS, `the kubelet had no stream for ${gapMs} ms`)
}
const OPENED = 'Kubelet opened the device stream'

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
