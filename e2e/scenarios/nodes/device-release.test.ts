import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mergeValues } from '../../cluster/merge-values.ts'
import { installRelease, type Release } from '../../cluster/release.ts'
import { firstWorker, runCheck } from '../../cluster/test-cluster.ts'
import {
  createSerialDevice,
  movedDeviceCheck,
  removeSerialDevice,
  serialValues,
  uninstallCheck,
  upgradeCheck,
} from '../../checks/moved-device.ts'

describe('the device plugin from its installation to its uninstall', () => {
  let node = ''
  let release: Release | undefined

  beforeAll(async () => {
    node = await firstWorker()
    await createSerialDevice(node)
    release = await installRelease({ profile: 'device-plugin-only', values: serialValues(node) })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await removeSerialDevice(node)
  })

  test('a restarted container finds its device after the device got another number', async () => {
    expect(await runCheck(movedDeviceCheck.run, { waitMs: 120_000 })).toEqual({ holds: true })
  })

  test('an upgrade keeps the device in capacity and in its pod, with a stream again within three seconds', async () => {
    const changed = (revision: number): unknown =>
      mergeValues(serialValues(node), { devicePlugin: { podAnnotations: { revision: `r${revision}` } } })
    const upgrade = upgradeCheck(async (number) => release?.upgrade(changed(number)))
    expect(await runCheck(upgrade, { waitMs: 120_000 })).toEqual({ holds: true })
  })

  test('the node shows 0 when an uninstall ends', async () => {
    const uninstalled = release
    if (uninstalled === undefined) throw new Error('the chart was not installed')
    expect(
      await runCheck(
        uninstallCheck(async () => uninstalled.uninstall()),
        { waitMs: 120_000 },
      ),
    ).toEqual({ holds: true })
  })
})
