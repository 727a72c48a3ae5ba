import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiClient } from '@berth/k8s-client'
import { helmBinary, kubectlBinary } from '@berth/testing'
import { parseAllDocuments, stringify } from 'yaml'
import { runOrThrow } from '../cluster/run-command.ts'
import type { Identity, RealApiServer } from './real-api-server.ts'

const chart = join(import.meta.dirname, '..', '..', 'charts', 'berth')
const NAMESPACE = 'berth-system'
/** The kinds that the programs of the chart need from the API server. Workloads do not run here. */
const KINDS: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'ConfigMap',
  'CSIStorageCapacity',
  'CustomResourceDefinition',
  'Role',
  'RoleBinding',
  'ServiceAccount',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
])

interface InstalledObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: unknown
}

/** What to install. */
export interface InstallOptions {
  /** A file of `charts/berth/profiles`, without its extension. */
  readonly profile: string
  readonly values: unknown
  /** Further flags of `helm template`. */
  readonly flags?: readonly string[]
}

/** The accounts, permissions and configurations of an installation of the chart, without its pods. */
export interface InstalledChart {
  /** Every object that exists now, including those that Helm creates only for its hooks. */
  readonly objects: readonly InstalledObject[]
  /** The objects of the other kinds, which were not created. */
  readonly left: readonly InstalledObject[]
  /** Returns the data of a ConfigMap of the release. @throws Error if there is none */
  data(name: string): Readonly<Record<string, string>>
  /**
   * Issues a token of a ServiceAccount of the release.
   *
   * @param pod - Name of a pod in the namespace of the release to which the token is bound, as kubelets bind it. Default: none.
   */
  identityOf(serviceAccount: string, pod?: string): Promise<Identity>
}

/** Renders the chart in the namespace berth-system and creates its objects on a real API server, apart from the workloads. */
export async function installChartObjects(
  server: RealApiServer,
  client: ApiClient,
  { profile, values, flags = [] }: InstallOptions,
): Promise<InstalledChart> {
  const valuesFile = join(server.dir, 'values.yaml')
  writeFileSync(valuesFile, stringify(values))
  const files = ['--values', join(chart, 'profiles', `${profile}.yaml`), '--values', valuesFile]
  const args = ['template', 'berth', chart, '--namespace', NAMESPACE, ...files, ...flags]
  const text = await runOrThrow(await helmBinary(), args)
  const rendered = parseAllDocuments(text)
    .map((document) => document.toJS() as InstalledObject | null)
    .filter((object) => object !== null)
  const objects = rendered.filter(({ kind }) => KINDS.has(kind))
  const kubeconfig = join(server.dir, 'admin.kubeconfig')
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [namespace, ...objects] })
  await runOrThrow(await kubectlBinary(), ['--kubeconfig', kubeconfig, 'apply', '--server-side', '-f', '-'], { input })
  return {
    objects,
    left: rendered.filter((object) => !objects.includes(object)),
    data(name) {
      const found = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)?.data
      if (found === undefined) throw new Error(`the chart has no ConfigMap ${name}`)
      return found
    },
    async identityOf(serviceAccount, pod) {
      const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod }
      const spec = pod === undefined ? {} : { boundObjectRef }
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
      const response = await client.raw({
        method: 'POST',
        path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${serviceAccount}/token`,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(request)),
      })
      const body = JSON.parse(Buffer.concat(await Array.fromAsync(response.body)).toString('utf8')) as {
        readonly message?: string
        readonly status?: { readonly token?: string }
      }
      const token = body.status?.token
      if (token === undefined) throw new Error(`token of ${serviceAccount}: ${body.message}`)
      return { token }
    },
  }
}
