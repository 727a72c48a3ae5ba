import { systemClock } from '@berth/clock'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  declaredDifferences,
  deviceCaseIds,
  runDeviceCase,
  readRecording,
  recordingsFolder,
  type DeviceSite,
} from '@berth/api-conformance'
import { startEmbeddedCluster, type EmbeddedCluster } from '../src/index.ts'
import { callJson } from '../src/testing.ts'

const recording = readRecording(join(recordingsFolder, 'devices.json'))
const docs = join(import.meta.dirname, '..', '..', '..', 'docs', 'simulator-differences.md')
const declared = new Set([...declaredDifferences(readFileSync(docs, 'utf8'))].filter((id) => id.startsWith('device-')))

/** Returns the system clock with a method to skip time: sockets need real time, the grace period of five minutes does not. */
function skippingClock(): Clock & { skip(ms: number): void } {
  const clock = systemClock()
  let aheadMs = 0
  return {
    ...clock,
    now: () => clock.now() + aheadMs,
    monotonic: () => clock.monotonic() + aheadMs,
    skip: (ms) => void (aheadMs += ms),
  }
}

describe('the device manager of a simulated kubelet', () => {
  let dir = ''
  let cluster: EmbeddedCluster
  let site: DeviceSite

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bd-'))
    const clock = skippingClock()
    const kubelet = { statusSyncMs: 50, leaseRenewMs: 1_000 }
    cluster = await startEmbeddedCluster({ nodes: 1, dir, clock, random: Math.random, serve: false, kubelet })
    await callJson(cluster.handle, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'devices' } } })
    site = {
      handle: cluster.handle,
      runId: 'r0000',
      nodeName: 'node-1',
      devicePlugins: join(dir, 'node-1', 'device-plugins'),
      pluginsRegistry: join(dir, 'node-1', 'plugins_registry'),
      registrySeenByKubelet: join(dir, 'node-1', 'plugins_registry'),
      podResources: join(dir, 'node-1', 'pod-resources'),
      async pause(ms) {
        if (ms > 1_000) clock.skip(ms)
        await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 100)))
      },
      restartKubelet: () => cluster.kubelet(0).restart(),
    }
  })
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  })

  test('the recording has these cases and no others', () => {
    expect([...recording.keys()]).toEqual(deviceCaseIds)
  })

  test.for(deviceCaseIds.filter((id) => !declared.has(`device-${id}`)))('%s: like a real kubelet', async (id) => {
    expect(await runDeviceCase(site, 'devices', id)).toEqual(recording.get(id))
  })

  test.for(deviceCaseIds.filter((id) => declared.has(`device-${id}`)))('%s: differs, as declared', async (id) => {
    expect(await runDeviceCase(site, 'devices', id)).not.toEqual(recording.get(id))
  })
})
