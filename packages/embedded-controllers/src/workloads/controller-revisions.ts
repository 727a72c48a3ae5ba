import type { LabelSelector } from '@berth/types'
import { type ApiObject, numberAt, objectAt, valueAt } from '@berth/embedded-api-server'
import { controllerReference } from './controlled-object.ts'
import type { ControllerParts } from '../loop/controller.ts'
import { templateHash } from './template-hash.ts'

const STORAGE = 'apps/controllerrevisions'
const HASH = 'controller-revision-hash'

/** The templates that a DaemonSet or StatefulSet has had, as ControllerRevision objects. */
export interface ControllerRevisions {
  /** The hash of the present template; its revision is made, or becomes the newest again, where it is not. */
  current(set: ApiObject): string
  /** Drops the oldest revisions beyond the history limit that no pod is of; pods say a hash or a revision's name. */
  prune(set: ApiObject, used: ReadonlySet<string>): void
}

/** Keeps revisions as `rollout history` and `rollout undo` of kubectl read them. */
export function controllerRevisions({ client, owners }: ControllerParts): ControllerRevisions {
  const revisionsOf = (set: ApiObject): readonly ApiObject[] =>
    owners
      .ownedObjects(set.metadata.uid ?? '', STORAGE)
      .toSorted((a, b) => (numberAt(a, 'revision') ?? 0) - (numberAt(b, 'revision') ?? 0))

  return {
    current(set) {
      const hash = templateHash(valueAt(set, 'spec', 'template'))
      const revisions = revisionsOf(set)
      const newest = numberAt(revisions.at(-1), 'revision') ?? 0
      const known = revisions.find((each) => each.metadata.labels?.[HASH] === hash)
      if (known === undefined) client.create(STORAGE, revisionOf(set, hash, newest + 1))
      else if (numberAt(known, 'revision') !== newest) client.update(STORAGE, known, { ...known, revision: newest + 1 })
      return hash
    },

    prune(set, used) {
      const limit = numberAt(set, 'spec', 'revisionHistoryLimit') ?? 10
      const hash = templateHash(valueAt(set, 'spec', 'template'))
      const old = revisionsOf(set).filter((each) => {
        const own = each.metadata.labels?.[HASH] ?? ''
        return own !== hash && !used.has(own) && !used.has(each.metadata.name ?? '')
      })
      for (const each of old.slice(0, Math.max(0, old.length - limit))) {
        client.remove(STORAGE, each, { propagationPolicy: 'Background' })
      }
    },
  }
}

function revisionOf(set: ApiObject, hash: string, revision: number): ApiObject {
  const { name = '', namespace = '', annotations } = set.metadata
  const selector = valueAt(set, 'spec', 'selector') as LabelSelector | undefined
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...selector?.matchLabels, [HASH]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(set)],
    },
    data: { spec: { template: { ...objectAt(set, 'spec', 'template'), $patch: 'replace' } } },
    revision,
  }
}
