import { listAt, numberAt, stringAt, type JsonObject } from '../../schema/json/json-object.ts'
import { ageColumn, nameColumn } from '../../resources/table/basic-columns.ts'
import type { Column } from '../../resources/table/column.ts'
import { ageOf } from '@berth/text/human-duration'
import { parseJsonPath } from './json-path.ts'

/**
 * Returns the table columns of a version: the name and its `additionalPrinterColumns`; by default, name and age.
 *
 * @see k8s.io/apiextensions-apiserver pkg/registry/customresource/tableconvertor (v0.36)
 */
export function printerColumns(version: JsonObject): readonly Column[] {
  const columns = listAt(version, 'additionalPrinterColumns')
  if (columns.length === 0) return [nameColumn, { ...ageColumn, type: 'date' }]
  return [nameColumn, ...columns.map(columnOf)]
}

function columnOf(column: unknown): Column {
  const type = stringAt(column, 'type')
  const path = parseJsonPath(stringAt(column, 'jsonPath'))
  const format = stringAt(column, 'format')
  return {
    name: stringAt(column, 'name'),
    type,
    priority: numberAt(column, 'priority') ?? 0,
    ...(format === '' ? {} : { format }),
    cell: (object, nowMs) => cellOf(path?.(object)[0], type, nowMs),
  }
}

function cellOf(value: unknown, type: string, nowMs: number): string | number | boolean | null {
  if (value === undefined || value === null) return null
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      if (typeof value !== 'string') return null
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, nowMs)
    default:
      return typeof value === 'string' ? value : JSON.stringify(value)
  }
}
