import { systemClock } from '@berth/clock'
import { createApiServer } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import { describe, expect, test } from 'vitest'
import { podTemplates, type ChartObject } from './chart-object.ts'
import { profiles, render } from './render.ts'

/** The API path at which objects of each kind are created. */
const collections: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  ConfigMap: 'configmaps',
  CSIStorageCapacity: 'csistoragecapacities',
  DaemonSet: 'daemonsets',
  Deployment: 'deployments',
  Job: 'jobs',
  PodDisruptionBudget: 'poddisruptionbudgets',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Secret: 'secrets',
  ServiceAccount: 'serviceaccounts',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
}
/** Kinds that the simulated API server does not serve. */
const elsewhere = new Set(['NetworkPolicy', 'FlowSchema'])

function pathOf({ apiVersion, kind, metadata: { namespace } }: ChartObject): string {
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`
  return `${prefix}${place}/${collections[kind] ?? `nothing-for-${kind}`}?fieldValidation=Strict`
}

describe('the API server accepts all objects of the profile', () => {
  test.for(profiles)('%s, without an unknown field', async (profile) => {
    const { handle } = createApiServer({ clock: systemClock(), random: Math.random })
    const create = (path: string, body: unknown) => callJson(handle, 'POST', path, { body })
    for (const name of ['berth-system', 'kube-system']) {
      await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    }
    // The controller that creates these is not part of the API server.
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
    await create('/api/v1/namespaces/berth-system/serviceaccounts', account)
    const objects = await render({ profile })
    const answers = []
    for (const object of objects) {
      if (elsewhere.has(object.kind)) continue
      const { status, headers, body } = await create(pathOf(object), object)
      answers.push({
        name: `${object.kind} ${object.metadata.name}`,
        status,
        warning: headers['warning'],
        ...(status === 201 ? {} : { body }),
      })
    }
    expect(answers.length).toBeGreaterThan(5)
    expect(answers.filter(({ status, warning }) => status !== 201 || warning !== undefined)).toEqual([])
  })

  test('demo in a namespace that enforces pod security restricted, except the pods that mount node directories', async () => {
    const { handle } = createApiServer({ clock: systemClock(), random: Math.random })
    const create = (path: string, body: unknown) => callJson(handle, 'POST', path, { body })
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tight', labels } })
    const objects = await render({ profile: 'demo', namespace: 'tight' })
    const refused: string[] = []
    const accounts = '/api/v1/namespaces/tight/serviceaccounts'
    await create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })
    for (const object of objects.filter(({ kind }) => kind === 'ServiceAccount')) await create(accounts, object)
    for (const { owner, spec } of podTemplates(objects)) {
      const { name } = owner.metadata
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...spec, priorityClassName: undefined } }
      const { status, body } = await create('/api/v1/namespaces/tight/pods', pod)
      if (status !== 201) refused.push(`${name}: ${(body as { readonly message: string }).message}`)
    }
    expect(refused.toSorted()).toEqual([
      expect.stringMatching(/^berth-device-plugin: .*violates PodSecurity "restricted:latest"/),
      expect.stringMatching(/^berth-uninstall-sockets: .*violates PodSecurity "restricted:latest"/),
    ])
  })

  test('the simulated API server serves every kind except NetworkPolicy and FlowSchema', async () => {
    const kinds = new Set((await render({ profile: 'full' })).map(({ kind }) => kind))
    expect([...kinds].filter((kind) => !Object.hasOwn(collections, kind))).toEqual([...elsewhere])
  })
})
