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
import { decodeSent } from '../../resources/context/decode-body.ts'
import { admissionRequestOf, type Admission } from '../attributes/admission.ts'
import { isMeant } from '../attributes/match-rules.ts'
import type { WebhookTarget } from '../../resources/context/webhook-calls.ts'

const GROUP = 'admissionregistration.k8s.io'

/** Whether there is any webhook that could be asked. */
export function hasWebhooks({ store }: ServerContext): boolean {
  return (
    store.collection(`${GROUP}/mutatingwebhookconfigurations`).size +
      store.collection(`${GROUP}/validatingwebhookconfigurations`).size >
    0
  )
}

/**
 * The object as mutating webhooks leave it. Only what clients ask for is shown to webhooks: the control plane of the
 * simulator writes at once.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/mutating (v0.36); webhooks are not asked a second time
 * @throws BERTH_SIMULATOR_REFUSED as a webhook says, (500) where one that must be asked does not answer
 */
export function mutatedByWebhooks(
  context: ServerContext,
  request: ResourceRequest,
  admission: Admission,
): ApiObject | undefined {
  let { object } = admission
  for (const hook of hooksFor(context, request, 'mutating')) {
    const answer = ask(context, request, { ...admission, ...(object === undefined ? {} : { object }) }, hook)
    const patch = stringAt(answer, 'patch')
    if (patch === '' || object === undefined) continue
    const { managedFields } = object.metadata
    const patched = applyJsonPatch(
      fromStorage(request.kind, object),
      parseJson(Buffer.from(patch, 'base64').toString()),
    )
    object = withMetadata(toStorage(request.kind, decodeSent(request, patched).object), { managedFields })
  }
  return object
}

/** Asks the validating webhooks. See {@link mutatedByWebhooks}. */
export function validateByWebhooks(context: ServerContext, request: ResourceRequest, admission: Admission): void {
  for (const hook of hooksFor(context, request, 'validating')) ask(context, request, admission, hook)
}

function hooksFor(context: ServerContext, { webhooks, kind }: ResourceRequest, type: string): readonly unknown[] {
  if (webhooks === undefined || kind.group === GROUP) return []
  return context.store
    .collection(`${GROUP}/${type}webhookconfigurations`)
    .list()
    .flatMap((configuration) => listAt(configuration, 'webhooks'))
}

/** The `response` of a webhook that lets a request through; empty where it was not asked. */
function ask(context: ServerContext, request: ResourceRequest, admission: Admission, hook: unknown): JsonObject {
  if (!isMeant(context, request, admission, hook, 'rules') || !meetsConditions(context, request, admission, hook))
    return {}
  const name = stringAt(hook, 'name')
  const target = targetOf(context, hook)
  const { object, oldObject, userInfo, ...about } = admissionRequestOf(request, admission)
  const review = {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      // The same question has the same name: a request that begins again asks nothing twice.
      uid: createUid(context.random),
      ...about,
      requestKind: about.kind,
      requestResource: about.resource,
      ...(about.subResource === undefined ? {} : { requestSubResource: about.subResource }),
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
  if (outcome.kind === 'failed') return failed(hook, name, outcome.why)
  const response = own(outcome.value, 'response')
  if (!isObject(response))
    return failed(hook, name, 'received invalid webhook response: expected response, got nothing')
  if (stringAt(response, 'uid') !== review.request.uid) {
    return failed(hook, name, 'received invalid webhook response: expected response.uid to be that of the request')
  }
  for (const warning of listAt(response, 'warnings')) if (typeof warning === 'string') request.warn?.(warning)
  if (own(response, 'allowed') !== true) throw denied(name, objectAt(response, 'status'))
  return response
}

function failed(hook: unknown, name: string, why: string): JsonObject {
  if (stringAt(hook, 'failurePolicy') === 'Ignore') return {}
  throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`)
}

function denied(name: string, status: JsonObject): StatusError {
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

function meetsConditions(
  context: ServerContext,
  request: ResourceRequest,
  admission: Admission,
  hook: unknown,
): boolean {
  const conditions = listAt(hook, 'matchConditions')
  if (conditions.length === 0) return true
  const { object, oldObject, ...about } = admissionRequestOf(request, admission)
  const values = { object: jsonToCel(object), oldObject: jsonToCel(oldObject), request: jsonToCel(about) }
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

/** Where a webhook is; a text says why that is not known. */
function targetOf({ store }: ServerContext, hook: unknown): WebhookTarget | string {
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
  // There is no network of pods: only services that lead out of the cluster lead anywhere.
  const host = stringAt(service, 'spec', 'externalName')
  if (host === '') return `failed to call webhook: no endpoints available for service ${JSON.stringify(name)}`
  const port = numberAt(config, 'service', 'port') ?? 443
  const path = stringAt(config, 'service', 'path') || '/'
  return { ...shared, url: `https://${host}:${port}${path}`, serverName: `${name}.${namespace}.svc` }
}
