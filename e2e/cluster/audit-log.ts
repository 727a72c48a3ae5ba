import { addFlags } from './control-plane-flags.ts'
import { inContainer, type ControlPlane } from './control-plane-manifest.ts'
import { runOrThrow } from './run-command.ts'
import { testEnvironment } from './test-environment.ts'

/** The API server of kubeadm mounts this directory. */
const POLICY = '/etc/kubernetes/pki/berth-e2e-audit.yaml'

/** One request in the audit log, with the fields that checks read. */
export interface AuditedRequest {
  readonly auditID: string
  readonly verb: string
  readonly userAgent?: string
  readonly user: {
    readonly username: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  readonly objectRef?: {
    readonly resource?: string
    readonly subresource?: string
    readonly apiGroup?: string
    readonly name?: string
  }
  readonly requestURI: string
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
}

/** Starts to audit the requests of a user. They are written to the log of the API server. Disposing ends it. */
export async function auditRequestsOf(controlPlane: ControlPlane, user: string): Promise<AsyncDisposable> {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [{ level: 'Metadata', users: [user] }, { level: 'None' }],
  }
  await inContainer(controlPlane, `cat > ${POLICY}`, JSON.stringify(policy))
  const flags = [`--audit-policy-file=${POLICY}`, '--audit-log-path=-']
  const added = await addFlags(controlPlane, 'kube-apiserver', flags)
  return {
    async [Symbol.asyncDispose]() {
      await added[Symbol.asyncDispose]()
      await inContainer(controlPlane, `rm -f ${POLICY}`)
    },
  }
}

/** Returns the audited requests that have ended. A watch ends when its client closes it. */
export async function readAuditLog(node: string): Promise<readonly AuditedRequest[]> {
  const { kubeconfig } = testEnvironment()
  const pod = ['-n', 'kube-system', `kube-apiserver-${node}`]
  return parseAuditLog(await runOrThrow('kubectl', ['--kubeconfig', kubeconfig, 'logs', ...pod]))
}

/** Returns the audited requests in the log of an API server. Ignores all other lines. */
export function parseAuditLog(text: string): readonly AuditedRequest[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{"kind":"Event","apiVersion":"audit.k8s.io/v1"')) return []
    return JSON.parse(line) as AuditedRequest
  })
}
