import { CelError } from '../../schema/cel/expression.ts'
import { jsonToCel } from '../../schema/cel/to-cel.ts'
import { storageKey, withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { isObject, listAt, numberAt, objectAt, own, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import { parseJson } from '../../schema/json/parse-json.ts'
import { fromStorage, toStorage } from '../../resources/kinds/storage-form.ts'
import { applyJsonPatch } from '../../apply/patch/json-patch.ts'
import { StatusError } from '../../schema/status/status-error.ts'
import { internalError } from '../../schema/status/api-errors.ts'
import type { ResourceRequest } from '../../resources/context/resource-request.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { createUid } from '../../store/generated-metadata.ts'
import { decodeObject } from '../../resources/context/decode-body.ts'
import { createAdmissionRequest, type Admission } from '../attributes/admission.ts'
import { matchesRequest } from '../attributes/match-rules.ts'
import type { WebhookTarget } from '../../resources/context/webhook-calls.ts'

const GROUP = 'admissionregistration.k8s.io'

/** Returns whether any webhook is configured. */
export function hasWebhooks({ store }: ServerContext): boolean {
  return (
    store.collection(`${GROUP}/mutatingwebhookconfigurations`).size +
      store.collection(`${GROUP}/validatingwebhookconfigurations`).size >
    0
  )
}

/**
 * Returns the object after all mutating webhooks. Webhooks are called for requests of clients only: the embedded control
 * plane writes without them.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/mutating (v0.36). Reinvocation is not supported.
 * @throws BERTH_SIMULATOR_REFUSED with a webhook's own code, or (500) if a call fails and its failure policy is `Fail`.
 */
export function applyMutatingWebhooks(
  context: ServerContext,
  request: ResourceRequest,
  admission: Admission,
): ApiObject | undefined {
  let { object } = admission
  for (const hook of webhooksOfType(context, request, 'mutating')) {
    const answer = callWebhookFor(context, request, { ...admission, ...(object === undefined ? {} : { object }) }, hook)
    const patch = stringAt(answer, 'patch')
    if (patch === '' || object === undefined) continue
    const { managedFields } = object.metadata
    const patched = applyJsonPatch(
      fromStorage(request.kind, object),
      parseJson(Buffer.from(patch, 'base64').toString()),
    )
    object = withMetadata(toStorage(request.kind, decodeObject(request, patched).object), { managedFields })
  }
  return object
}

/** Calls the validating webhooks. See {@link applyMutatingWebhooks}. */
export function validateByWebhooks(context: ServerContext, request: ResourceRequest, admission: Admission): void {
  for (const hook of webhooksOfType(context, request, 'validating')) callWebhookFor(context, request, admission, hook)
}

function webhooksOfType(context: ServerContext, { webhooks, kind }: ResourceRequest, type: string): readonly unknown[] {
  if (webhooks === undefined || kind.group === GROUP) return []
  return context.store
    .collection(`${GROUP}/${type}webhookconfigurations`)
    .list()
    .flatMap((configuration) => listAt(configuration, 'webhooks'))
}

/** Returns the `response` of a webhook that allowed the request; an empty object if it was not called. */
function callWebhookFor(
  context: ServerContext,
  request: ResourceRequest,
  admission: Admission,
  hook: unknown,
): JsonObject {
  if (
    !matchesRequest(context, request, admission, hook, 'rules') ||
    !matchesConditions(context, request, admission, hook)
  )
    return {}
  const name = stringAt(hook, 'name')
  const target = resolveTarget(context, hook)
  const { object, oldObject, userInfo, ...attributes } = createAdmissionRequest(request, admission)
  const review = {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      // A replayed request draws the same uid, so that it finds the outcome of the call instead of repeating it.
      uid: createUid(context.random),
      ...attributes,
      requestKind: attributes.kind,
      requestResource: attributes.resource,
      ...(attributes.subResource === undefined ? {} : { requestSubResource: attributes.subResource }),
      userInfo,
      object,
      oldObject,
      options: null,
    },
  }
  const outcome =
    typeof target === 'string'
      ? ({ kind: 'failed', why: target } as const)
      : (request.webhooks?.outcome(target, review) ??
        ({ kind: 'failed', why: 'webhooks are not called here' } as const))
  if (outcome.kind === 'failed') return handleFailure(hook, name, outcome.why)
  const response = own(outcome.value, 'response')
  if (!isObject(response))
    return handleFailure(hook, name, 'received invalid webhook response: expected response, got nothing')
  if (stringAt(response, 'uid') !== review.request.uid) {
    return handleFailure(
      hook,
      name,
      'received invalid webhook response: expected response.uid to be that of the request',
    )
  }
  for (const warning of listAt(response, 'warnings')) if (typeof warning === 'string') request.warn?.(warning)
  if (own(response, 'allowed') !== true) throw denialOf(name, objectAt(response, 'status'))
  return response
}

function handleFailure(hook: unknown, name: string, why: string): JsonObject {
  if (stringAt(hook, 'failurePolicy') === 'Ignore') return {}
  throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`)
}

function denialOf(name: string, status: JsonObject): StatusError {
  const start = `admission webhook ${JSON.stringify(name)} denied the request`
  const reason = stringAt(status, 'reason')
  const message = stringAt(status, 'message') || reason
  const code = numberAt(status, 'code') ?? 0
  return new StatusError({
    code: code < 400 ? 400 : code,
    ...(reason === '' ? {} : { reason }),
    message: message === '' ? `${start} without explanation` : `${start}: ${message}`,
  })
}

function matchesConditions(
  context: ServerContext,
  request: ResourceRequest,
  admission: Admission,
  hook: unknown,
): boolean {
  const conditions = listAt(hook, 'matchConditions')
  if (conditions.length === 0) return true
  const { object, oldObject, ...attributes } = createAdmissionRequest(request, admission)
  const values = { object: jsonToCel(object), oldObject: jsonToCel(oldObject), request: jsonToCel(attributes) }
  return conditions.every((condition) => {
    try {
      return context.expressionOf(condition, 'expression', Object.keys(values)).evaluate(values) === true
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      if (stringAt(hook, 'failurePolicy') === 'Ignore') return false
      throw internalError(`failed calling webhook ${JSON.stringify(stringAt(hook, 'name'))}: ${error.message}`)
    }
  })
}

/** Returns the address of a webhook. A string result says why it cannot be resolved. */
function resolveTarget({ store }: ServerContext, hook: unknown): WebhookTarget | string {
  const config = objectAt(hook, 'clientConfig')
  const bundle = stringAt(config, 'caBundle')
  const shared = {
    timeoutMs: 1000 * (numberAt(hook, 'timeoutSeconds') ?? 10),
    ...(bundle === '' ? {} : { ca: Buffer.from(bundle, 'base64').toString() }),
  }
  const url = stringAt(config, 'url')
  if (url !== '') return { ...shared, url }
  const [namespace, name] = [stringAt(config, 'service', 'namespace'), stringAt(config, 'service', 'name')]
  const service = store.collection('/services').get(storageKey(namespace, name))
  if (service === undefined) return `failed to call webhook: service ${JSON.stringify(name)} not found`
  // The embedded cluster has no pod network: only ExternalName services have an address.
  const host = stringAt(service, 'spec', 'externalName')
  if (host === '') return `failed to call webhook: no endpoints available for service ${JSON.stringify(name)}`
  const port = numberAt(config, 'service', 'port') ?? 443
  const path = stringAt(config, 'service', 'path') || '/'
  return { ...shared, url: `https://${host}:${port}${path}`, serverName: `${name}.${namespace}.svc` }
}
