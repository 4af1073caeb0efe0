// SPDX-License-Identifier: Apache-2.0
export function syntheticRun(options?: object): object;
export function page(template: string, document: object, frames?: object | null): string;
