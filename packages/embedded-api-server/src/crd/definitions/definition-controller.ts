import { keyOf, withMetadata, type ApiObject } from '../../schema/json/api-object.ts'
import { listAt, objectAt, stringAt } from '../../schema/json/json-object.ts'
import type { ObjectWriter } from '../../resources/context/object-writer.ts'
import type { ServerContext } from '../../resources/context/server-context.ts'
import { timestamp } from '../../store/generated-metadata.ts'
import { statusWithAcceptedNames, isConditionTrue, withCondition } from './definition-conditions.ts'
import { CLEANUP_FINALIZER } from './definition-strategy.ts'
import { kindsOfDefinition } from './kinds-of-definition.ts'

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions'

/**
 * Starts the controller of CustomResourceDefinitions: it accepts their names, establishes them, serves their kinds, and
 * deletes the objects of a definition that is being deleted. It runs in a microtask, so that it finishes before the next
 * request.
 *
 * @param isOwner - Whether the controller may write. Otherwise it only serves definitions that are established already.
 * @see k8s.io/apiextensions-apiserver pkg/controller/{status,establish,finalizer} (v0.36)
 */
export function startDefinitionController(context: ServerContext, writer: ObjectWriter, isOwner: boolean): void {
  const definitions = context.store.collection(DEFINITIONS)
  let isScheduled = false
  for (const definition of definitions.list()) {
    context.kinds.define(definition.metadata.name ?? '', kindsOfDefinition(definition))
  }

  context.store.subscribe((storage, { type, object }) => {
    if (storage === DEFINITIONS) {
      context.kinds.define(object.metadata.name ?? '', type === 'DELETED' ? [] : kindsOfDefinition(object))
    } else if (type !== 'DELETED' || !isTerminating(storage)) return
    if (isScheduled || !isOwner) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      for (const definition of definitions.list()) {
        try {
          reconcile(definition)
        } catch (error) {
          context.log.error({ err: error, definition: definition.metadata.name }, 'Definition cannot be served')
        }
      }
    })
  })

  function isTerminating(storage: string): boolean {
    return context.kinds.all().some((kind) => kind.storage === storage && kind.custom?.isTerminating === true)
  }

  function reconcile(definition: ApiObject): void {
    const time = timestamp(context.clock)
    if (definition.metadata.deletionTimestamp === undefined) {
      writer.updateStatus(DEFINITIONS, definition, statusWithAcceptedNames(definition, definitions.list(), time))
    } else if (definition.metadata.finalizers?.includes(CLEANUP_FINALIZER) === true) cleanUp(definition, time)
  }

  function cleanUp(definition: ApiObject, time: string): void {
    const status = objectAt(definition, 'status')
    const terminating = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    } as const
    const conditions = withCondition(listAt(status, 'conditions'), terminating, time)
    const marked = writer.updateStatus(DEFINITIONS, definition, { ...status, conditions })
    const plural = stringAt(definition, 'status', 'acceptedNames', 'plural')
    const storage = `${stringAt(definition, 'spec', 'group')}/${plural}`
    if (isConditionTrue(definition, 'Established')) {
      for (const object of context.store.collection(storage).list()) {
        if (object.metadata.deletionTimestamp === undefined) writer.remove(storage, object)
      }
      if (context.store.collection(storage).size > 0) return
    }
    const current = definitions.get(keyOf(marked))
    if (current === undefined) return
    const finalizers = (current.metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER)
    writer.update(
      DEFINITIONS,
      current,
      withMetadata(current, { finalizers: finalizers.length === 0 ? undefined : finalizers }),
    )
  }
}
