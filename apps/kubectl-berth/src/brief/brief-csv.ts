import type { CsvTable } from '../output/csv-text.ts'
import type { BriefItem, BriefSection } from './brief-tree.ts'

/**
 * Returns one record for each object: where it stands, and the columns of every kind, which are empty for other kinds. Notes
 * are joined with semicolons.
 */
export function briefCsv(sections: readonly BriefSection[]): CsvTable {
  const objects = sections.flatMap(({ items }) => items.flatMap((item) => below(item, '')))
  const cells = [...new Set(objects.flatMap(({ item }) => [...item.cells.keys()]))]
  return {
    columns: ['kind', 'namespace', 'name', 'parent', ...cells, 'notes'],
    rows: objects.map(({ item, parent }) => [
      item.kind,
      item.namespace,
      item.name,
      parent,
      ...cells.map((name) => item.cells.get(name)),
      item.notes.join('; '),
    ]),
  }
}

function below(item: BriefItem, parent: string): readonly { readonly item: BriefItem; readonly parent: string }[] {
  const self = `${item.kind}/${item.name}`
  return [{ item, parent }, ...item.children.flatMap((child) => below(child, self))]
}
