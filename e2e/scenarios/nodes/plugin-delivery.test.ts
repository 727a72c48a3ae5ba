import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiClient } from '@berth/k8s-client'
import { describe, expect, test } from 'vitest'
import { rackCheck, rackValues } from '../../checks/packed-plugins.ts'
import { createPluginVolume, packPlugin } from '../../cluster/packed-plugin.ts'
import { NAMESPACE, RELEASE, ensureNamespace, installRelease } from '../../cluster/release.ts'
import { runOrThrow } from '../../cluster/run-command.ts'
import { connectToTestCluster, runCheck } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { buildPluginImage } from '../../image/plugin-image.ts'

const environment = testEnvironment()
const packageFolder = 'examples/plugins/scheduling'
const context = join(import.meta.dirname, '../../..', packageFolder)
const podSecurity = 'restricted'

/** Chart values that deliver the plugin in one way. */
interface Delivery {
  /** Value of `scheduler.plugins`. */
  readonly plugins: unknown
  /** Image of the apps, if it is not the image under test. */
  readonly image?: string
}

interface Way {
  readonly way: string
  readonly deliver: (client: ApiClient) => Promise<Delivery>
  /** The path that the scheduler logs. */
  readonly origin: RegExp
}

const ways: readonly Way[] = [
  {
    way: 'a file in a ConfigMap',
    async deliver(client) {
      const metadata = { name: 'plugin-file', namespace: NAMESPACE }
      const files = { 'rack.ts': await readFile(join(context, 'src/index.ts')) }
      return { plugins: { volume: await createPluginVolume(client, metadata, files) } }
    },
    origin: /^\/plugins\/rack\.ts$/,
  },
  {
    way: 'an archive of npm pack in a ConfigMap',
    deliver: async (client) => ({ plugins: { volume: await packPlugin(client, packageFolder, NAMESPACE) } }),
    origin: /^\/plugins\/berth-example-scheduling-plugin-[\d.]+\.tgz$/,
  },
  {
    way: 'an image that is mounted as a volume',
    async deliver() {
      const dockerfile = await readFile(join(context, 'Dockerfile'), 'utf8')
      const reference = await buildPluginImage(environment, { dockerfile, context })
      return { plugins: { volume: { image: { reference, pullPolicy: 'Never' } } } }
    },
    origin: /^\/plugins\/example-rack\/dist\/index\.js$/,
  },
  {
    way: "an image built on Berth's",
    async deliver() {
      const dockerfile = `FROM ${environment.image}\nCOPY src/index.ts /plugins/rack.ts\n`
      const image = await buildPluginImage(environment, { dockerfile, context })
      return { plugins: { inImage: true }, image }
    },
    origin: /^\/plugins\/rack\.ts$/,
  },
]

describe('ways to deliver a contributed plugin', () => {
  test.for(ways)('$way', async ({ deliver, origin }) => {
    await using cluster = connectToTestCluster()
    await ensureNamespace(podSecurity)
    const { plugins, image } = await deliver(cluster.client)
    await using _ = await installRelease({
      profile: 'scheduler-only',
      podSecurity,
      values: rackValues(plugins),
      ...(image !== undefined && { image }),
    })
    const { stdout, line } = await pluginLine()
    console.log(stdout)
    expect(line).toMatchObject({ plugin: 'example-rack', origin: expect.stringMatching(origin) as string })
    expect(await runCheck(rackCheck.run, { waitMs: 180_000 })).toEqual({ holds: true })
  })
})

/** Returns the scheduler's log line about the plugin. */
async function pluginLine(): Promise<{ readonly stdout: string; readonly line: unknown }> {
  const logs = await runOrThrow('kubectl', [
    '--kubeconfig',
    environment.kubeconfig,
    '--namespace',
    NAMESPACE,
    'logs',
    `deployment/${RELEASE}-scheduler`,
  ])
  const stdout = logs.split('\n').find((text) => text.includes('"Plugin loaded"')) ?? ''
  return { stdout, line: stdout === '' ? undefined : (JSON.parse(stdout) as unknown) }
}
