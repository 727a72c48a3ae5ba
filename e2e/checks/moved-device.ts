import { observeDuring } from '../cluster/observe-during.ts'
import { expectThat, printingPod } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'
import { onNode } from './kubelet.ts'

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

/** Returns a check that an upgrade keeps the device in capacity and in its pod. */
export function upgradeCheck(upgrade: () => Promise<unknown>): Check['run'] {
  return async (testCluster) => {
    const node = testCluster.workers[0] ?? ''
    await testCluster.untilUnits(node, SERIAL, '1/1')
    const name = testCluster.uniqueName('holder')
    await testCluster.createPod(printingPod(name, { [SERIAL]: '1' }, `'running'`))
    const { metadata } = await testCluster.untilRunning(name)
    const seen = await observeDuring(upgrade(), () => testCluster.units(node, SERIAL))
    console.log(`during the upgrade, the node showed ${seen.join(', ')}`)
    expectThat(
      seen.every((units) => units.startsWith('1/')),
      `the node showed ${seen.join(', ')}`,
    )
    await testCluster.untilUnits(node, SERIAL, '1/1')
    const now = await testCluster.untilRunning(name)
    expectThat(now.metadata.uid === metadata.uid, 'the pod was replaced')
  }
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
