/** Somebody who works a page by the mouse, and somebody who has keys alone. Both do the same by names of controls. */
import type { Locator, Page } from 'playwright-core';

export interface Operator {
  readonly page: Page;
  /** Activates a button or a link. */
  press(control: Locator): Promise<void>;
  /** Puts a text into a field, instead of what it has. */
  fill(field: Locator, text: string): Promise<void>;
  /** Goes to a screen; `key` is what stands behind `g`. */
  goTo(screen: string, key: string): Promise<void>;
  /** Accepts the preview that is open, whose button has this name. */
  accept(button: string): Promise<void>;
}

export class MouseOperator implements Operator {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  press(control: Locator): Promise<void> {
    return control.click();
  }

  fill(field: Locator, text: string): Promise<void> {
    return field.fill(text);
  }

  goTo(screen: string): Promise<void> {
    const screens = this.page.getByRole('navigation', { name: 'Screens' });
    return screens.getByRole('link', { name: screen, exact: true }).click();
  }

  accept(button: string): Promise<void> {
    return this.page.getByRole('button', { name: button, exact: true }).click();
  }
}

/** Tabs from one control to another at most: more is a way that nobody finds. */
const maxTabs = 75;

export class KeyboardOperator implements Operator {
  readonly page: Page;
  /** Keys that were pressed; a text that was typed is one. */
  keys = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async key(name: string): Promise<void> {
    await this.page.keyboard.press(name);
    this.keys++;
  }

  /** Goes on from control to control until this one has the focus. */
  async reach(control: Locator): Promise<void> {
    await control.waitFor();
    for (let tabs = 0; tabs <= maxTabs; tabs++) {
      if (await control.evaluate((element) => element.matches(':focus'))) return;
      await this.key('Tab');
    }
    throw new Error(`${String(control)} is not reached by ${maxTabs} tabs`);
  }

  async press(control: Locator): Promise<void> {
    await this.reach(control);
    await this.key('Enter');
  }

  async fill(field: Locator, text: string): Promise<void> {
    await this.reach(field);
    await this.key('Control+a');
    await this.page.keyboard.insertText(text);
    this.keys++;
  }

  /** By the keys of the page, which a field would take for letters. */
  async goTo(screen: string, key: string): Promise<void> {
    // Right after each other: the second one has to come soon.
    await Promise.all([this.key('g'), this.key(key)]);
    await this.page.getByRole('heading', { level: 1, name: screen }).waitFor();
  }

  async accept(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).waitFor();
    await this.key('Control+Enter');
  }

  /** Walks down the rows to the one that has these words. */
  async row(words: RegExp): Promise<void> {
    const current = this.page.locator('[data-row]:focus-within');
    for (let rows = 0; rows <= maxTabs; rows++) {
      await this.key('j');
      if (words.test((await current.count()) === 0 ? '' : await current.first().innerText()))
        return;
    }
    throw new Error(`${words} is in none of the first ${maxTabs} rows`);
  }
}
