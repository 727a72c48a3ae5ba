import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'

/** The certificate authorities of callers, as the API server publishes them. */
export interface ClientAuthorities {
  /** PEM of the authorities of client certificates. */
  readonly clientCa?: string
  readonly requestHeader?: RequestHeaderAuthority
}

/** The front proxies that name the caller in headers. */
export interface RequestHeaderAuthority {
  /** PEM. */
  readonly ca: string
  /** Common names of the proxies; empty: every certificate of the authority. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

type ConfigMap = KubernetesObject & { readonly data?: Readonly<Record<string, string>> }

const DEADLINE_MS = 5_000

/**
 * Reads the ConfigMap `extension-apiserver-authentication`.
 *
 * @throws ApiError, TransportError when it cannot be read, SyntaxError when a list in it is not JSON.
 * @see k8s.io/apiserver pkg/server/options/authentication_dynamic_request_header.go (v0.36)
 */
export async function readClientAuthorities(client: Pick<ApiClient, 'get'>): Promise<ClientAuthorities> {
  const name = { namespace: 'kube-system', name: 'extension-apiserver-authentication' }
  const { data = {} } = await client.get<ConfigMap>(resourceRefs.configMaps, name, { deadlineMs: DEADLINE_MS })
  const clientCa = data['client-ca-file'] ?? ''
  const requestHeaderCa = data['requestheader-client-ca-file'] ?? ''
  const list = (key: string): readonly string[] => readList(data[key])
  return {
    ...(clientCa !== '' && { clientCa }),
    ...(requestHeaderCa !== '' && {
      requestHeader: {
        ca: requestHeaderCa,
        allowedNames: list('requestheader-allowed-names'),
        usernameHeaders: list('requestheader-username-headers'),
        groupHeaders: list('requestheader-group-headers'),
        extraPrefixes: list('requestheader-extra-headers-prefix'),
      },
    }),
  }
}

function readList(text: string | undefined): readonly string[] {
  const value: unknown = JSON.parse(text === undefined || text === '' ? '[]' : text)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
