// SPDX-License-Identifier: MIT
// A small program in TypeScript; types.js is the same in JavaScript.
interface Item {
    name: string;
    count?: number;
}

class Stock<T extends Item> {
    private readonly items: T[] = [];

    add(item: T): this {
        this.items.push(item);
        return this;
    }

    total(): number {
        return this.items.reduce((sum: number, item: T) => sum + (item.count ?? 1), 0);
    }
}

const stock = new Stock<Item>().add({ name: 'a' });
console.log(stock.total() as number);
