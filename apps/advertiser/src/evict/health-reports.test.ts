import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { createHealthReports } from './health-reports.ts'

const DONGLE = 'example.com/dongle'

function holder(isReporting: boolean): Pod {
  const allocatedResourcesStatus = [{ name: DONGLE, resources: [{ resourceID: 'a', health: 'Healthy' }] }]
  return {
    metadata: { name: 'holder', namespace: 'lab', uid: 'u' },
    spec: { nodeName: 'node-1', containers: [{ name: 'main', resources: { limits: { [DONGLE]: '1' } } }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'main', ...(isReporting && { allocatedResourcesStatus }) }],
    },
  }
}

const setUp = (gitVersion: string) => createHealthReports({ resources: new Set([DONGLE]), gitVersion })

test.for(['v1.34.2', 'v1.35.0-gke.100'])(
  'names the feature gate on Kubernetes %s, until a pod reports health',
  (version) => {
    const reports = setUp(version)
    expect(reports.problem(0)).toBe(
      `Kubernetes ${version} does not report the health of devices by default: enable the feature gate ResourceHealthStatus of the API server and of the kubelets, or upgrade to 1.36`,
    )
    reports.update(holder(true), 0)
    expect(reports.problem(0)).toBeUndefined()
  },
)

test('names the feature gate and a pod when no status has the field a minute after the pod was seen', () => {
  const reports = setUp('v1.36.3')
  expect(reports.problem(0)).toBeUndefined()
  reports.update(holder(false), 0)
  reports.update(holder(false), 30_000)
  expect([reports.problem(59_999), reports.silent(59_999)]).toEqual([undefined, 0])
  expect(reports.problem(60_000)).toMatch(
    /^the status of no pod reports .* lab\/holder on node node-1: .* ResourceHealthStatus/,
  )
  expect(reports.silent(60_000)).toBe(1)
  reports.update(holder(true), 61_000)
  expect([reports.problem(90_000), reports.silent(90_000)]).toEqual([undefined, 0])
  reports.update(holder(false), 100_000)
  reports.remove('u')
  expect(reports.silent(1e9)).toBe(0)
})
