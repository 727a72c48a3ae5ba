import type { Rule } from './chart-object.ts'

/** Returns the permissions of rules as sorted lines such as `apps/replicasets list`. */
export function granted(rules: readonly Rule[]): readonly string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
      ),
    )
    .toSorted()
}

/** Returns the name of an API group as roles write it. A README names the core group. */
export const groupName = (text: string): string => (text.trim() === 'core' ? '' : text.trim())

/** Returns the permissions that a README lists as a table of API group, resources and verbs. */
export function permissionsInTable(text: string): readonly string[] {
  const [table = ''] = /^\| API group \|[^\n]*\n(?:\|.*\n)*/m.exec(text) ?? []
  const rows = [
    ...table.matchAll(/^\| ([a-z0-9.-]+) \| ([a-z/, ]+?)(, in the namespace of the Lease)? \| ([^|]+) \|$/gm),
  ]
  return rows
    .flatMap(([, group = '', resources = '', isOwnNamespace, verbs = '']) =>
      isOwnNamespace === undefined
        ? resources
            .split(', ')
            .flatMap((resource) =>
              verbs
                .split(/[,;]\s*/)
                .map((verb) => `${groupName(group)}/${resource} ${verb.replace(/\(.*\)/, '').trim()}`),
            )
        : [],
    )
    .toSorted()
}
