import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildGoProgram } from '../cluster/build-go-program.ts'
import { runOrThrow } from '../cluster/run-command.ts'
import type { TestEnvironment } from '../cluster/test-environment.ts'
import { findDebian } from '../image/app-image.ts'
import { buildPluginImage } from '../image/plugin-image.ts'

const NAMESPACE = 'berth-e2e-local-path'
const NAME = 'local-path-provisioner'
/** The provisioner that storage classes name. */
export const PROVISIONER = 'berth.local/local-path'
/** A folder for volumes that the provisioner may use on every node. */
export const EVERYWHERE = '/opt/berth-e2e'
/** A folder for volumes that the provisioner may use only on the nodes that were named at the installation. */
export const SOMEWHERE = '/opt/berth-e2e-somewhere'

/**
 * Installs Rancher's local-path-provisioner, built from its Go module. Disposing removes it with its namespace.
 *
 * @param somewhere - Nodes where volumes may be in {@link SOMEWHERE}.
 */
export async function installLocalPathProvisioner(
  environment: TestEnvironment,
  { nodes, somewhere }: { readonly nodes: readonly string[]; readonly somewhere: readonly string[] },
): Promise<AsyncDisposable> {
  const image = await buildImage(environment)
  const kubectl = (args: readonly string[], input = ''): Promise<string> =>
    runOrThrow('kubectl', ['--kubeconfig', environment.kubeconfig, ...args], { input, timeoutMs: 200_000 })
  const nodePathMap = nodes.map((node) => ({
    node,
    paths: somewhere.includes(node) ? [EVERYWHERE, SOMEWHERE] : [EVERYWHERE],
  }))
  const items = provisionerObjects(image, JSON.stringify({ nodePathMap }))
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const remove = async (): Promise<void> => {
    await kubectl(['delete', '--ignore-not-found', '--wait', '-f', '-'], list)
  }
  await remove()
  await kubectl(['create', '-f', '-'], list)
  await kubectl(['rollout', 'status', `deployment/${NAME}`, '-n', NAMESPACE, '--timeout=180s'])
  return { [Symbol.asyncDispose]: remove }
}

/** Builds an image with the provisioner and a shell, which also runs the provisioner's helper pods, and loads it onto the nodes. */
async function buildImage(environment: TestEnvironment): Promise<string> {
  const { engine, kind, isOffline } = environment
  const path = join(dirname(kind), NAME)
  const module = join(import.meta.dirname, 'module')
  await buildGoProgram({ module, package: `github.com/rancher/${NAME}`, path }, console.log)
  const context = await mkdtemp(join(tmpdir(), 'berth-local-path-'))
  try {
    await copyFile(path, join(context, NAME))
    const base = isOffline ? await findDebian(engine) : 'debian:12-slim'
    const dockerfile = `FROM ${base}\nCOPY ${NAME} /usr/local/bin/${NAME}\n`
    return await buildPluginImage(environment, { dockerfile, context })
  } finally {
    await rm(context, { recursive: true })
  }
}

/** Returns the objects of the provisioner. */
function provisionerObjects(image: string, config: string): readonly unknown[] {
  const metadata = { name: NAME, namespace: NAMESPACE }
  const script = (line: string): string => `#!/bin/sh\nset -eu\n${line}\n`
  const helper = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'helper-pod' },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'helper-pod', image }] },
  }
  const data = {
    'config.json': config,
    setup: script('mkdir -m 0777 -p "$VOL_DIR"'),
    teardown: script('rm -rf "$VOL_DIR"'),
    'helperPod.yaml': JSON.stringify(helper),
  }
  const container = {
    name: NAME,
    image,
    command: [
      NAME,
      'start',
      '--config',
      '/etc/config/config.json',
      '--configmap-name',
      NAME,
      '--service-account-name',
      NAME,
      '--provisioner-name',
      PROVISIONER,
    ],
    volumeMounts: [{ name: 'config', mountPath: '/etc/config/' }],
    env: [
      { name: 'POD_NAMESPACE', value: NAMESPACE },
      { name: 'CONFIG_MOUNT_PATH', value: '/etc/config/' },
    ],
  }
  const volumes = [{ name: 'config', configMap: { name: NAME } }]
  const labels = { app: NAME }
  const rules = [
    { apiGroups: [''], resources: ['nodes', 'persistentvolumeclaims', 'configmaps'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['pods', 'pods/log', 'persistentvolumes', 'events', 'endpoints'], verbs: ['*'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get', 'list', 'watch'] },
  ]
  const rbac = 'rbac.authorization.k8s.io'
  const clusterWide = { name: `berth-e2e-${NAME}` }
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: clusterWide, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: clusterWide,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: clusterWide.name },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { serviceAccountName: NAME, terminationGracePeriodSeconds: 1, containers: [container], volumes },
        },
      },
    },
  ]
}
