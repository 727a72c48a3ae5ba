import { systemClock } from '@berth/clock'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson, type JsonResponse } from '@berth/simulator/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { helmBinary } from '@berth/testing'

const chart = join(import.meta.dirname, 'fixtures', 'shelf')
const execute = promisify(execFile)
let cluster: EmbeddedCluster
let home: string
let binary: string

beforeAll(async () => {
  binary = await helmBinary()
  home = await mkdtemp(join(tmpdir(), 'berth-helm-'))
  cluster = await startEmbeddedCluster({
    nodes: 1,
    clock: systemClock(),
    random: Math.random,
    kubelet: { statusSyncMs: 50 },
  })
  await writeFile(join(home, 'kubeconfig'), cluster.served?.kubeconfig() ?? '')
})

afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await rm(home, { recursive: true })
})

/** Runs Helm and returns its output. Rejects when it fails. */
async function helm(...args: readonly string[]): Promise<string> {
  const env = { HOME: home, KUBECONFIG: join(home, 'kubeconfig') }
  const { stdout } = await execute(binary, [...args], { env, timeout: 110_000 })
  return stdout
}

const wait = ['--wait', '--timeout=90s'] as const

async function body(path: string): Promise<JsonResponse['body']> {
  return (await callJson(cluster.handle, 'GET', path)).body
}

const shelf = (): Promise<JsonResponse['body']> => body('/api/v1/namespaces/default/configmaps/shop')

describe('Helm 4 on the embedded cluster', () => {
  test('installs a chart with a CustomResourceDefinition and a custom resource, and waits for pods and hooks', async () => {
    expect(await helm('install', 'shop', chart, ...wait)).toContain('STATUS: deployed')
    const book = await body('/apis/shelf.example.com/v1/namespaces/default/books/shop')
    expect(book.spec).toEqual({ pages: 300, color: 'grey' })
    const deployment = await body('/apis/apps/v1/namespaces/default/deployments/shop')
    expect(deployment.status.readyReplicas).toBe(2)
    const areHooksGone = async (): Promise<void> =>
      expect((await body('/apis/batch/v1/namespaces/default/jobs')).items).toEqual([])
    await vi.waitFor(areHooksGone, { timeout: 60_000 })
    expect(deployment.metadata.managedFields[0]).toMatchObject({ manager: 'helm', operation: 'Apply' })
  })

  test('fails on a field that another manager owns', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop' }, data: { color: 'blue' } }
    const path = '/api/v1/namespaces/default/configmaps/shop?fieldManager=stranger&force=true'
    await callJson(cluster.handle, 'PATCH', path, { body: config, contentType: 'application/apply-patch+yaml' })
    await expect(helm('upgrade', 'shop', chart, '--set=color=green', ...wait)).rejects.toThrow(
      'Apply failed with 1 conflict: conflict with "stranger": .data.color',
    )
    expect((await shelf()).data).toEqual({ color: 'blue', note: 'first' })
  })

  test('takes the field by force, and removes a field that an upgrade omits', async () => {
    await helm('upgrade', 'shop', chart, '--set=color=green,note=', '--force-conflicts', ...wait)
    expect((await shelf()).data).toEqual({ color: 'green' })
  })

  test('refuses a custom resource that violates its schema', async () => {
    await expect(helm('upgrade', 'shop', chart, '--set=pages=0', ...wait)).rejects.toThrow(
      'spec.pages: Invalid value: 0: spec.pages in body should be greater than or equal to 1',
    )
  })

  test('rolls back', async () => {
    await helm('rollback', 'shop', '1', ...wait)
    expect((await shelf()).data).toEqual({ color: 'red', note: 'first' })
    expect(await helm('history', 'shop', '-o=json')).toContain('Rollback to 1')
  })

  test('uninstalls everything except the CustomResourceDefinition, as Helm does', async () => {
    await helm('uninstall', 'shop', ...wait)
    const left = async (path: string): Promise<readonly string[]> =>
      (await body(path)).items.map(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name)
    const core = '/api/v1/namespaces/default'
    expect(await left(`${core}/configmaps`)).not.toContain('shop')
    expect(await left(`${core}/secrets`)).toEqual([])
    // The objects that the Deployment owned are deleted after it.
    const isCollected = async (): Promise<void> => {
      expect(await left('/apis/apps/v1/namespaces/default/replicasets')).toEqual([])
      expect(await left(`${core}/pods`)).toEqual([])
    }
    await vi.waitFor(isCollected, { timeout: 60_000 })
    expect(await left('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles')).toEqual([])
    expect(await left('/apis/shelf.example.com/v1/namespaces/default/books')).toEqual([])
    expect(await left('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')).toEqual(['books.shelf.example.com'])
  })
})
