import type { Column } from './column.ts'
import { ageOf } from './human-duration.ts'

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
