import { errorText } from '@berth/text/error-text'
import { firstLine } from '@berth/text/first-line'
import { shellCommand } from '@berth/text/shell-command'
import { isApiStatus, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { applyApiServerDefaults } from '@berth/resources'
import type { KubernetesObject, Pod, PodSpec, Workload } from '@berth/types'
import { parseAllDocuments } from 'yaml'
import { CommandError } from '../errors.ts'

/** Maximum size of a manifest, in characters: the API server refuses larger objects. */
const MAX_BYTES = 3_000_000

/**
 * Reads a pod of the cluster.
 *
 * @throws CommandError BERTH_KUBECTL_NOT_FOUND, and the client's errors for every other failed call.
 */
export async function readPod(
  client: ApiClient,
  target: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Pod> {
  const { namespace, name } = target
  try {
    return await client.get<Pod>(resourceRefs.pods, target, { signal })
  } catch (error) {
    if (!isApiStatus(error, 404)) throw error
    throw new CommandError(`read pod ${namespace}/${name}: not found`, {
      code: 'BERTH_KUBECTL_NOT_FOUND',
      cause: error,
      hint: `List the pods: ${shellCommand('kubectl', 'get', 'pods', '-n', namespace)}`,
    })
  }
}

/**
 * Returns the pods in a manifest, Pods or the pod templates of workloads, with the defaults of the API server.
 *
 * @param text - YAML or JSON, one or several documents, at least one of which holds a pod.
 * @param options.namespace - Namespace of a pod that names none.
 * @throws CommandError BERTH_KUBECTL_FILE naming the file and what is wrong with it.
 */
export function podsFromManifest(
  text: string,
  options: { readonly file: string; readonly namespace: string },
): readonly Pod[] {
  const { file, namespace } = options
  const refuse = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`read pod from ${file}: ${reason}`, {
      code: 'BERTH_KUBECTL_FILE',
      ...(cause !== undefined && { cause }),
      hint: 'Give a manifest with Pods, or with workloads that have a pod template.',
    })
  if (text.length > MAX_BYTES) throw refuse('it is larger than the API server accepts')
  const pods = parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw refuse(firstLine(error.message).replace(/:$/, ''), error)
    const pod = podOf(document.toJS({ maxAliasCount: 100 }))
    return pod === undefined ? [] : [pod]
  })
  if (pods.length === 0) throw refuse('it holds neither a pod nor a pod template')
  try {
    return pods.map((pod) =>
      applyApiServerDefaults({
        ...pod,
        metadata: { ...pod.metadata, namespace: pod.metadata.namespace ?? namespace },
      }),
    )
  } catch (error) {
    throw refuse(errorText(error), error)
  }
}

/**
 * Returns the pod that a workload would create, with the name of the workload. Undefined for an object without a pod
 * template.
 */
export function podOfTemplate(workload: Workload): Pod | undefined {
  const pod = podOf(workload)
  return pod === undefined ? undefined : applyApiServerDefaults(pod)
}

interface Template {
  readonly metadata?: Pod['metadata']
  readonly spec?: PodSpec
}

function podOf(value: unknown): Pod | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const object = value as KubernetesObject & {
    spec?: { template?: Template; jobTemplate?: { spec?: { template?: Template } }; containers?: unknown }
  }
  const { kind, metadata, spec } = object
  if (kind === 'Pod' && Array.isArray(spec?.containers)) return { ...(object as Pod), metadata: metadata ?? {} }
  const template = spec?.template ?? spec?.jobTemplate?.spec?.template
  if (!Array.isArray(template?.spec?.containers)) return undefined
  const { name, namespace } = metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...template.metadata,
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
    },
    spec: template.spec,
  }
}
