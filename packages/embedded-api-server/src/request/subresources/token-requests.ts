import type { ApiResponse } from '@berth/types'
import { keyOf, storageKey, type ApiObject } from '../../schema/json/api-object.ts'
import { listAt, numberAt, stringAt, valueAt, type JsonObject } from '../../schema/json/json-object.ts'
import { fieldError } from '../../schema/status/field-error.ts'
import { badRequest, conflict, invalid, notFound } from '../../schema/status/api-errors.ts'
import { bodyObject } from '../content/read-body.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import { jsonResponse } from '../content/responses.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { requireObject } from '../verbs/read.ts'
import { ISSUER, createToken, type TokenClaims } from '../../auth/service-account-tokens.ts'

const DEFAULT_LIFETIME_S = 3600
const MIN_LIFETIME_S = 600
const STORAGE_OF_BOUND_KIND: ReadonlyMap<string, string> = new Map([
  ['Pod', '/pods'],
  ['Node', '/nodes'],
  ['Secret', '/secrets'],
])

/**
 * POST serviceaccounts/NAME/token: creates a token for the account, bound to an object if the request names one.
 *
 * @see kubernetes pkg/registry/core/serviceaccount/storage/token.go (v1.36)
 */
export function requestToken(context: ServerContext, request: ResourceRequest): ApiResponse {
  const sent = bodyObject({ http: request.http })
  if (stringAt(sent, 'kind') !== '' && stringAt(sent, 'kind') !== 'TokenRequest') {
    throw badRequest(`${stringAt(sent, 'kind')} cannot be handled as a TokenRequest`)
  }
  const account = requireObject(context, request)
  const seconds = numberAt(sent, 'spec', 'expirationSeconds') ?? DEFAULT_LIFETIME_S
  if (seconds < MIN_LIFETIME_S) {
    const cause = fieldError.invalid(
      'spec.expirationSeconds',
      seconds,
      'may not specify a duration less than 10 minutes',
    )
    throw invalid({ group: 'authentication.k8s.io', plural: '', kind: 'TokenRequest' }, '', [cause])
  }
  const requestedAudiences = listAt(sent, 'spec', 'audiences').map(String)
  const audiences = requestedAudiences.length === 0 ? [ISSUER] : requestedAudiences
  const bound = boundClaims(context, account, sent)
  const { namespace = '', name = '', uid = '' } = account.metadata
  const expiresAtS = Math.floor(context.clock.now() / 1000) + seconds
  const token = createToken(context, { namespace, name, uid, audiences: audiences, expiresAtS, ...bound })
  return jsonResponse(201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: timestamp(context.clock) },
    spec: {
      audiences: audiences,
      expirationSeconds: seconds,
      boundObjectRef: valueAt(sent, 'spec', 'boundObjectRef') ?? null,
    },
    status: { token, expirationTimestamp: timestamp(context.clock, seconds * 1000) },
  })
}

function boundClaims(
  context: ServerContext,
  account: ApiObject,
  sent: JsonObject,
): Pick<TokenClaims, 'bound' | 'node'> {
  const kind = stringAt(sent, 'spec', 'boundObjectRef', 'kind')
  if (kind === '') return {}
  const storage = STORAGE_OF_BOUND_KIND.get(kind)
  const name = stringAt(sent, 'spec', 'boundObjectRef', 'name')
  if (storage === undefined)
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(keyOf(account))} to object of type ${kind}`)
  const namespace = kind === 'Node' ? '' : (account.metadata.namespace ?? '')
  const resource = { group: '', plural: storage.slice(1), kind }
  const object = context.store.collection(storage).get(storageKey(namespace, name))
  if (object === undefined) throw notFound(resource, name)
  const uid = stringAt(sent, 'spec', 'boundObjectRef', 'uid')
  if (uid !== '' && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict(resource, name, why)
  }
  const accountName = stringAt(object, 'spec', 'serviceAccountName')
  if (kind === 'Pod' && accountName !== account.metadata.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account.metadata.name)} to pod running with different serviceaccount name.`,
    )
  }
  const bound = { kind, name, uid: object.metadata.uid ?? '' }
  const nodeName = stringAt(object, 'spec', 'nodeName')
  const node = kind === 'Pod' && nodeName !== '' ? context.store.collection('/nodes').get(nodeName) : undefined
  return { bound, ...(node === undefined ? {} : { node: { name: nodeName, uid: node.metadata.uid ?? '' } }) }
}
