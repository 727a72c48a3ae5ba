import type { ApiClient, ResourceRef } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { KubernetesObject } from '@berth/types'

const policies: ResourceRef = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  namespaced: false,
}

interface TypeChecked extends KubernetesObject {
  readonly status?: {
    readonly observedGeneration?: number
    readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] }
  }
}

/** Returns what the type checker of the API server found in a policy, as soon as it has checked it. */
export async function policyWarnings(client: ApiClient, name: string): Promise<readonly unknown[]> {
  const { status } = await eventually(
    async () => {
      const policy = await client.get<TypeChecked>(policies, { name })
      return policy.status?.observedGeneration === undefined ? undefined : policy
    },
    { what: `the type check of ${name}`, timeoutMs: 60_000, signal: new AbortController().signal },
  )
  return status?.typeChecking?.expressionWarnings ?? []
}
