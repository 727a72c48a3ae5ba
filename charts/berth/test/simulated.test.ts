import { systemClock } from '@berth/clock'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { helm, helmOnChart, profiles, type HelmResult } from './render.ts'

const namespace = 'berth-system'
/** Values that replace the pods of all apps. */
const changedPods = Object.fromEntries(
  ['advertiser', 'devicePlugin', 'extender', 'scheduler'].map((app) => [app, { podLabels: { again: 'yes' } }]),
)

let cluster: EmbeddedCluster
let dir = ''
let access: readonly string[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-chart-simulated-'))
  // As `kubectl berth simulate` runs it: a default scheduler, and pods that run until their controller ends them.
  cluster = await startEmbeddedCluster({ nodes: 3, schedulesPods: true, clock: systemClock(), random: Math.random })
  access = ['--kubeconfig', join(dir, 'kubeconfig')]
  await writeFile(join(dir, 'kubeconfig'), cluster.served?.kubeconfig() ?? '')
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const inNamespace = (...command: readonly string[]): Promise<HelmResult> =>
  helm([...command, '--namespace', namespace, ...access])

/** Returns the names of the objects in the cluster that contain `berth`, by kind. */
async function berthObjects(): Promise<readonly string[]> {
  const paths = [
    `/api/v1/namespaces/${namespace}/pods`,
    `/api/v1/namespaces/${namespace}/secrets`,
    `/api/v1/namespaces/${namespace}/configmaps`,
    `/api/v1/namespaces/${namespace}/serviceaccounts`,
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
    `/apis/batch/v1/namespaces/${namespace}/jobs`,
    `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`,
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ]
  const names = await Promise.all(
    paths.map(async (path) => {
      const { body } = await callJson(cluster.handle, 'GET', path)
      const { items } = body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] }
      return items.map(({ metadata }) => `${path.split('/').at(-1)}/${metadata.name}`)
    }),
  )
  return names.flat().filter((name) => name.includes('berth'))
}

describe('on a simulated cluster', () => {
  afterEach(() => inNamespace('uninstall', 'berth', '--no-hooks', '--ignore-not-found'))

  test.for(profiles)(
    'the profile %s installs, upgrades and uninstalls with its hooks; helm test says what it needs',
    { timeout: 900_000 },
    async (profile) => {
      const wait = ['--wait', '--timeout=240s', ...access]
      const installed = await helmOnChart(['install', 'berth'], { profile, flags: ['--create-namespace', ...wait] })
      expect([installed.code, installed.stderr]).toEqual([0, ''])
      expect(await berthObjects()).not.toEqual([])
      const upgraded = await helmOnChart(['upgrade', 'berth'], {
        profile,
        values: changedPods,
        flags: wait,
      })
      expect([upgraded.code, upgraded.stderr]).toEqual([0, ''])

      const tested = await inNamespace('test', 'berth', '--timeout=240s')
      expect([tested.code, tested.stderr]).toEqual([
        1,
        expect.stringContaining('helm test needs real kubelets: jobs of this simulated cluster run nothing'),
      ])

      const gone = await inNamespace('uninstall', 'berth', '--wait', '--timeout=240s')
      expect([gone.code, gone.stderr]).toEqual([0, ''])
      expect(await berthObjects()).toEqual([])
    },
  )
})
