// SPDX-License-Identifier: MIT
// What types.ts is without its types.
class Stock {
    items = [];

    add(item) {
        this.items.push(item);
        return this;
    }

    total() {
        return this.items.reduce((sum, item) => sum + (item.count ?? 1), 0);
    }
}

const stock = new Stock().add({ name: 'a' });
console.log(stock.total());
