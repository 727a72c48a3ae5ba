import { join } from 'node:path'
import { deviceCaseIds, runDeviceCase, readRecording, recordingsFolder, type DeviceSite } from '@berth/api-conformance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDeviceSite } from '../../cluster/device-site.ts'
import { sessionUnderTest } from '../../cluster/test-environment.ts'
import { openNamespace, type TestNamespace } from '../../cluster/test-namespace.ts'

const recording = readRecording(join(recordingsFolder, 'devices.json'))

/** Waits out the five minutes that a kubelet keeps the devices of a plugin that is away. */
const SLOW = 'plugin-stays-away'
const isSlowWanted = process.env['BERTH_E2E_SLOW'] === '1'
const ids = deviceCaseIds.filter((id) => isSlowWanted || id !== SLOW)

describe('the device manager of a real kubelet', { timeout: 600_000 }, () => {
  let site: DeviceSite & AsyncDisposable
  let namespace: TestNamespace

  beforeAll(async () => {
    const { kubeconfig, engine, nodeContainers } = sessionUnderTest()
    site = await openDeviceSite(kubeconfig, engine, nodeContainers.at(-1) ?? '')
    namespace = await openNamespace(site)
  })
  afterAll(async () => {
    await namespace[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  test.for(ids)('%s: as it was recorded', async (id) => {
    expect(await runDeviceCase(site, namespace.name, id)).toEqual(recording.get(id))
  })
})
