import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DONGLE } from '../../checks/dongles.ts'
import { CLUSTER_NAME } from '../../cluster/kind-cluster.ts'
import { installRelease, NAMESPACE, type Release } from '../../cluster/release.ts'
import { runOrThrow } from '../../cluster/run-command.ts'
import { connectToTestCluster, pausePod, runCheck } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const { engine, kind, kubeconfig } = testEnvironment()
const SEAT = 'example.com/seat'

describe('the files of a release, installed as the guide says', { timeout: 600_000 }, () => {
  const cluster = connectToTestCluster()
  let folder = ''
  let image = ''
  let release: Release | undefined

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-released-'))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string }
    const steps = ['executables', 'images', 'chart']
    await runOrThrow('npm', ['run', 'release', '--', '--dry-run', '--once', '--out', folder, ...steps], {
      cwd: root,
      timeoutMs: 30 * 60_000,
    })
    const arch = process.arch === 'x64' ? 'amd64' : process.arch
    for (const file of [`berth-${version}.tgz`, `kubectl-berth_${version}_linux_${arch}.tar.gz`])
      await runOrThrow('tar', ['-C', folder, '-xzf', join(folder, file)])
    const archive = join(folder, `berth-images_${version}.oci.tar`)
    await runOrThrow(kind, ['load', 'image-archive', archive, '--name', CLUSTER_NAME], {
      env: { KIND_EXPERIMENTAL_PROVIDER: engine },
      timeoutMs: 300_000,
    })
    image = `berth.local/berth:${version}`
    release = await installRelease({ profile: 'demo', chart: join(folder, 'berth'), image })
  }, 2_400_000)

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** Runs `kubectl-berth` of the release, without Node. */
  const kubectlBerth = (...args: readonly string[]): Promise<string> =>
    runOrThrow(join(folder, 'kubectl-berth'), [...args, '--kubeconfig', kubeconfig], { env: { PATH: '/nonexistent' } })

  test('every app runs the image of the release', async () => {
    const { items } = await cluster.client.list<Pod>(resourceRefs.pods, { namespace: NAMESPACE })
    const apps = new Set(items.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] ?? ''))
    expect(apps).toEqual(new Set(['advertiser', 'authority', 'device-plugin', 'extender', 'scheduler']))
    for (const { spec } of items) expect(spec.containers.map((container) => container.image)).toContain(image)
  })

  test('pods get units of the advertiser and devices of the device plugin', async () => {
    const outcome = await runCheck(
      async (testCluster) => {
        const [first = '', second = ''] = testCluster.workers
        await testCluster.untilUnits(first, SEAT, '2/2')
        await testCluster.untilUnits(second, DONGLE, '4/4')
        const name = testCluster.uniqueName('both')
        await testCluster.createPod(
          pausePod(name, { [SEAT]: '1', [DONGLE]: '1' }, { schedulerName: 'berth-scheduler' }),
        )
        await testCluster.untilRunning(name)
      },
      { waitMs: 180_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })

  test('helm test succeeds', async () => {
    expect(await release?.test()).toMatch(/^Phase:\s+Succeeded$/m)
  })

  test('kubectl-berth reports what the nodes offer, and why a pod waits', async () => {
    expect(await kubectlBerth('capacity')).toContain(DONGLE)
    const outcome = await runCheck(
      async (testCluster) => {
        const name = testCluster.uniqueName('too-many')
        await testCluster.createPod(pausePod(name, { [DONGLE]: '5' }))
        await testCluster.untilEvent(name, 'FailedScheduling', /Insufficient example\.com\/dongle/)
        expect(await kubectlBerth('explain', 'pod', name)).toContain(`Insufficient ${DONGLE}`)
      },
      { waitMs: 120_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })
})
