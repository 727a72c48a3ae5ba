import { join } from 'node:path'
import { deviceCaseIds, runDeviceCase, readRecording, recordingsFolder, type DeviceSite } from '@berth/api-conformance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDeviceSite } from '../../cluster/device-site.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { openTestNamespace, type TestNamespace } from '../../cluster/test-namespace.ts'

const recording = readRecording(join(recordingsFolder, 'devices.json'))

/** The case that waits for the five minutes after which a kubelet drops the devices of a missing plugin. */
const SLOW = 'plugin-stays-away'
const isSlowWanted = process.env['BERTH_E2E_SLOW'] === '1'
const ids = deviceCaseIds.filter((id) => isSlowWanted || id !== SLOW)

describe('the device manager of a real kubelet', { timeout: 600_000 }, () => {
  let site: DeviceSite & AsyncDisposable
  let namespace: TestNamespace

  beforeAll(async () => {
    const { kubeconfig, engine, nodeContainers } = testEnvironment()
    site = await openDeviceSite(kubeconfig, engine, nodeContainers.at(-1) ?? '')
    namespace = await openTestNamespace(site)
  })
  afterAll(async () => {
    await namespace[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  test.for(ids)('%s equals the recording', async (id) => {
    expect(await runDeviceCase(site, namespace.name, id)).toEqual(recording.get(id))
  })
})
