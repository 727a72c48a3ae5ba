import { numberAt, valueAt } from '../../schema/json/json-object.ts'
import type { Column } from './column.ts'
import { ageOf } from '@berth/text/human-duration'

/** The first column of every table. */
export const nameColumn: Column = {
  name: 'Name',
  format: 'name',
  description: 'Name of the object, unique within its kind and namespace.',
  cell: (object) => object.metadata.name ?? '',
}

/** The time since the object was created. */
export const ageColumn: Column = {
  name: 'Age',
  description: 'Time since the object was created.',
  cell: (object, nowMs) => ageOf(object.metadata.creationTimestamp, nowMs),
}

/** Returns the given columns, with the column of the name before them and the column of the age after them. */
export function named(...columns: readonly Column[]): readonly Column[] {
  return [nameColumn, ...columns, ageColumn]
}

/** Returns a column that only `-o wide` shows. */
export function wide(column: Column): Column {
  return { ...column, priority: 1 }
}

/** Returns a column with the value at a path such as `spec.type` as text. `empty` stands for a missing or empty value. */
export function textColumn(name: string, path: string, empty = ''): Column {
  const keys = path.split('.')
  return { name, cell: (object) => textOf(valueAt(object, ...keys)) || empty }
}

/** Returns a column with the number at a path. A missing number is 0. */
export function integerColumn(name: string, path: string): Column {
  const keys = path.split('.')
  return { name, type: 'integer', cell: (object) => numberAt(object, ...keys) ?? 0 }
}

/** Returns a column with the boolean at a path. A missing boolean is false. */
export function booleanColumn(name: string, path: string): Column {
  const keys = path.split('.')
  return { name, type: 'boolean', cell: (object) => valueAt(object, ...keys) === true }
}

/** Formats a value as a cell: text as it is, other values as JSON, a missing value as `''`. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
